//! A model is refused, or loads and gives numbers. Run it with `-rss_limit_mb=1200 -timeout=2`.
#![no_main]

use astragal::eval::{EvalOutput, OnnxModel};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(mut model) = OnnxModel::from_bytes(bytes.to_vec(), EvalOutput::Logit) {
        let rows = vec![0.5; 40 * model.features().width()];
        if let Ok(outputs) = model.run(&rows) {
            assert_eq!(outputs.len(), 40);
        }
    }
});

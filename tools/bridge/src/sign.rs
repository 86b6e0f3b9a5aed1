//! Signatures of webhook deliveries: HMAC-SHA256 over the time stamp, a dot and the raw body.

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use subtle::ConstantTimeEq;
use thiserror::Error;

/// How far the time stamp may be from our clock, in seconds.
pub const TOLERANCE_S: u64 = 300;

/// Why a delivery is not believed. What exactly was wrong is for our log, not for the answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum BadSignature {
    /// A header is missing or there twice.
    #[error("the header {0} must be there exactly once")]
    Header(&'static str),
    /// The time stamp is no decimal number without leading zeros.
    #[error("the time stamp has not the right form")]
    Stamp,
    /// The time stamp is too far from our clock.
    #[error("the time stamp is more than {TOLERANCE_S} s from our clock")]
    Age,
    /// The signature is not that of the key.
    #[error("the signature does not hold")]
    Signature,
}

fn keyed(key: &str) -> Hmac<Sha256> {
    // HMAC takes keys of any length.
    #[expect(clippy::expect_used, reason = "new_from_slice fails for no length")]
    Hmac::<Sha256>::new_from_slice(key.as_bytes()).expect("any length suits")
}

/// The signature of a delivery, 64 lower-case hexadecimal digits.
pub fn signature(key: &str, stamp: &str, body: &[u8]) -> String {
    let mut mac = keyed(key);
    mac.update(stamp.as_bytes());
    mac.update(b".");
    mac.update(body);
    hex::encode(mac.finalize().into_bytes())
}

/// What proves that we hold the key, in answer to a verification of version 2.
pub fn proof(key: &str, body: &[u8]) -> String {
    let mut mac = keyed(key);
    mac.update(b"dicechess-webhook-activate-v2\n");
    mac.update(body);
    hex::encode(mac.finalize().into_bytes())
}

/// Checks a delivery against the keys that are good now; `now` is the time in seconds since 1970. Returns which key it was
/// signed with.
///
/// # Errors
/// It is not to be believed.
pub fn check(keys: &[&str], stamp: &str, signed: &str, body: &[u8], now: u64) -> Result<usize, BadSignature> {
    let canonical = !stamp.is_empty()
        && stamp.len() <= 12
        && stamp.bytes().all(|byte| byte.is_ascii_digit())
        && (stamp == "0" || !stamp.starts_with('0'));
    let at: u64 =
        if canonical { stamp.parse().map_err(|_| BadSignature::Stamp)? } else { return Err(BadSignature::Stamp) };
    if at.abs_diff(now) > TOLERANCE_S {
        return Err(BadSignature::Age);
    }
    let mut which = None;
    for (index, key) in keys.iter().enumerate() {
        // Every key is tried to the end, so that the time tells nothing.
        let right: bool = signature(key, stamp, body).as_bytes().ct_eq(signed.as_bytes()).into();
        if right && which.is_none() {
            which = Some(index);
        }
    }
    which.ok_or(BadSignature::Signature)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_exact_form_is_believed() {
        let body = br#"{"type":"verification"}"#;
        let good = signature("key", "1000", body);
        assert_eq!(check(&["other", "key"], "1000", &good, body, 1300), Ok(1));
        assert_eq!(check(&["key"], "1000", &good, body, 700), Ok(0));
        assert_eq!(check(&["key"], "1000", &good, body, 1301), Err(BadSignature::Age));
        assert_eq!(check(&["key"], "1000", &good, body, 699), Err(BadSignature::Age));
        assert_eq!(check(&["key"], "1000", &good, b"{}", 1000), Err(BadSignature::Signature));
        assert_eq!(check(&["key"], "1000", &good.to_uppercase(), body, 1000), Err(BadSignature::Signature));
        assert_eq!(check(&["other"], "1000", &good, body, 1000), Err(BadSignature::Signature));
        assert_eq!(check(&[], "1000", &good, body, 1000), Err(BadSignature::Signature));
        for stamp in ["", "01000", "+1000", "1000.0", " 1000", "-1", "9999999999999999999999"] {
            let signed = signature("key", stamp, body);
            assert_eq!(check(&["key"], stamp, &signed, body, 1000), Err(BadSignature::Stamp), "{stamp}");
        }
    }
}

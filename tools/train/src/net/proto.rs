//! As much of the format of ONNX files (protocol buffers, `onnx.proto3`) as it takes to write a model.

/// A message that is being written.
#[derive(Default)]
pub struct Message(Vec<u8>);

impl Message {
    fn varint(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.0.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.0.push(number as u8);
    }

    /// A field that is a whole number.
    pub fn int(&mut self, field: u64, number: i64) {
        self.varint(field << 3);
        self.varint(number as u64);
    }

    fn bytes(&mut self, field: u64, bytes: &[u8]) {
        self.varint(field << 3 | 2);
        self.varint(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
    }

    /// A field that is a text.
    pub fn text(&mut self, field: u64, text: &str) {
        self.bytes(field, text.as_bytes());
    }

    /// A field that is a message.
    pub fn message(&mut self, field: u64, message: Self) {
        self.bytes(field, &message.0);
    }

    /// The message as bytes.
    pub fn into_bytes(self) -> Vec<u8> {
        self.0
    }
}

/// An operator, perhaps with an attribute that is a whole number.
pub fn node(operator: &str, inputs: &[&str], outputs: &[&str], attribute: Option<(&str, i64)>) -> Message {
    let mut node = Message::default();
    inputs.iter().for_each(|input| node.text(1, input));
    outputs.iter().for_each(|output| node.text(2, output));
    node.text(4, operator);
    if let Some((name, number)) = attribute {
        let mut attribute = Message::default();
        attribute.text(1, name);
        attribute.int(3, number);
        // The type: an INT.
        attribute.int(20, 2);
        node.message(5, attribute);
    }
    node
}

/// Floats of that shape.
pub fn float_tensor(name: &str, dims: &[i64], numbers: &[f32]) -> Message {
    tensor(name, dims, 1, numbers.iter().flat_map(|number| number.to_le_bytes()).collect())
}

/// A list of 64-bit whole numbers.
pub fn int_tensor(name: &str, numbers: &[i64]) -> Message {
    tensor(name, &[numbers.len() as i64], 7, numbers.iter().flat_map(|number| number.to_le_bytes()).collect())
}

fn tensor(name: &str, dims: &[i64], kind: i64, raw: Vec<u8>) -> Message {
    let mut tensor = Message::default();
    dims.iter().for_each(|&dim| tensor.int(1, dim));
    tensor.int(2, kind);
    tensor.text(8, name);
    tensor.bytes(9, &raw);
    tensor
}

/// An input or an output: floats of the shape `[batch, width]`.
pub fn value(name: &str, width: i64) -> Message {
    let (mut batch, mut row, mut shape) = (Message::default(), Message::default(), Message::default());
    batch.text(2, "batch");
    row.int(1, width);
    shape.message(1, batch);
    shape.message(1, row);
    let (mut tensor, mut kind, mut value) = (Message::default(), Message::default(), Message::default());
    tensor.int(1, 1);
    tensor.message(2, shape);
    kind.message(1, tensor);
    value.text(1, name);
    value.message(2, kind);
    value
}

//! The parts of an ONNX file that decide what the runtime will do with it.
//!
//! Field numbers are those of `onnx.proto3` of the ONNX project. Fields that the runtime does not look at are skipped,
//! except at the top, where an unknown one is taken for rubbish behind the model. What two readers could understand in
//! different ways (a field twice, two kinds of data in one tensor) is refused.

use super::check::{Refusal, shown};
use super::tensor::Tensor;
use super::wire::{Allowance, Message, Wire};

/// The most dimensions of a tensor.
pub(super) const MOST_DIMENSIONS: usize = 8;

/// The most attributes of an operator, and pairs of texts that say where a tensor is.
const MOST_OF_ONE: usize = 64;

/// The most bytes of a name.
const MOST_NAME: usize = 1024;

/// A model.
pub(super) struct ModelProto<'a> {
    pub(super) graph: Graph<'a>,
}

/// Its graph: the nodes in the order of the file, which is that of computation.
#[derive(Default)]
pub(super) struct Graph<'a> {
    pub(super) nodes: Vec<Node<'a>>,
    pub(super) initializers: Vec<Tensor<'a>>,
    pub(super) inputs: Vec<ValueInfo<'a>>,
    pub(super) outputs: Vec<ValueInfo<'a>>,
}

/// An operator and where it takes its inputs from; an empty name is an input or output that is left out.
#[derive(Default)]
pub(super) struct Node<'a> {
    pub(super) operator: &'a str,
    pub(super) domain: &'a str,
    pub(super) inputs: Vec<&'a str>,
    pub(super) outputs: Vec<&'a str>,
    pub(super) attributes: Vec<(&'a str, Attribute<'a>)>,
}

/// The value of an attribute.
pub(super) enum Attribute<'a> {
    Float,
    Int(i64),
    Text(&'a str),
    Tensor(Tensor<'a>),
    Floats(usize),
    Ints(Vec<i64>),
}

/// What the model says of an input or output.
#[derive(Default)]
pub(super) struct ValueInfo<'a> {
    pub(super) name: &'a str,
    pub(super) kind: Option<i64>,
    /// The dimensions, `None` where they are not fixed.
    pub(super) dims: Option<Vec<Option<u64>>>,
}

impl<'a> ModelProto<'a> {
    /// Reads a file.
    pub(super) fn read(bytes: &'a [u8]) -> Result<Self, Refusal> {
        let (mut message, mut allowance) = (Message::new("model", bytes), Allowance::new());
        let (mut graph, mut version, mut operators) = (None, None, false);
        while let Some((number, value)) = message.next(&mut allowance)? {
            match number {
                1 => {
                    message.once(number)?;
                    version = Some(message.int(number, value)?);
                }
                2 | 3 => _ = message.text(number, value)?,
                7 => {
                    message.once(number)?;
                    graph = Some(Graph::read(message.bytes(number, value)?, &mut allowance)?);
                }
                8 => {
                    operators = true;
                    let fields = [Kind::Text, Kind::Int];
                    read_plain("list of operator sets", message.bytes(number, value)?, &fields, &mut allowance)?;
                }
                14 => read_pair(message.bytes(number, value)?, &mut allowance).map(|_| ())?,
                4 | 5 | 6 | 20 | 25 | 26 => (),
                _ => return Err(message.broken(&format!("has an unknown field {number}"))),
            }
        }
        // Without a version of the operators the runtime would assume one.
        let graph = graph.filter(|_| version.is_some() && operators);
        Ok(Self { graph: graph.ok_or_else(|| Refusal::new("this is no ONNX file"))? })
    }
}

impl<'a> Graph<'a> {
    fn read(bytes: &'a [u8], allowance: &mut Allowance) -> Result<Self, Refusal> {
        let mut message = Message::new("graph", bytes);
        let mut graph = Self::default();
        while let Some((number, value)) = message.next(allowance)? {
            match number {
                1 => graph.nodes.push(Node::read(message.bytes(number, value)?, allowance)?),
                5 => graph.initializers.push(Tensor::read(message.bytes(number, value)?, allowance)?),
                11 => graph.inputs.push(ValueInfo::read(message.bytes(number, value)?, allowance)?),
                12 => graph.outputs.push(ValueInfo::read(message.bytes(number, value)?, allowance)?),
                13 => _ = ValueInfo::read(message.bytes(number, value)?, allowance)?,
                _ => (),
            }
        }
        Ok(graph)
    }
}

impl<'a> Node<'a> {
    fn read(bytes: &'a [u8], allowance: &mut Allowance) -> Result<Self, Refusal> {
        let mut message = Message::new("node", bytes);
        let mut node = Self::default();
        while let Some((number, value)) = message.next(allowance)? {
            match number {
                1 => node.inputs.push(name(&message, number, value)?),
                2 => node.outputs.push(name(&message, number, value)?),
                3 => {
                    message.once(number)?;
                    name(&message, number, value)?;
                }
                4 => {
                    message.once(number)?;
                    node.operator = name(&message, number, value)?;
                }
                5 => {
                    let (name, attribute) = read_attribute(message.bytes(number, value)?, allowance)?;
                    if node.attributes.len() == MOST_OF_ONE {
                        return Err(message.broken("has too many attributes"));
                    }
                    if node.attributes.iter().any(|&(known, _)| known == name) {
                        return Err(message.broken(&format!("has the attribute {} twice", shown(name))));
                    }
                    node.attributes.push((name, attribute));
                }
                7 => {
                    message.once(number)?;
                    node.domain = name(&message, number, value)?;
                }
                _ => (),
            }
        }
        Ok(node)
    }

    /// The attribute of that name.
    pub(super) fn attribute(&self, name: &str) -> Option<&Attribute<'a>> {
        self.attributes.iter().find(|&&(known, _)| known == name).map(|(_, attribute)| attribute)
    }
}

/// Reads an attribute: its name, and its one value, which must be of the type that it says.
fn read_attribute<'a>(bytes: &'a [u8], allowance: &mut Allowance) -> Result<(&'a str, Attribute<'a>), Refusal> {
    let mut message = Message::new("attribute", bytes);
    let (mut attribute_name, mut kind, mut single) = ("", 0, None);
    let (mut floats, mut ints, mut strings) = (0, Vec::new(), 0);
    while let Some((number, value)) = message.next(allowance)? {
        // 8 to 11 are lists.
        if !(7..=11).contains(&number) {
            message.once(number)?;
        }
        let found = match number {
            1 => {
                attribute_name = name(&message, number, value)?;
                continue;
            }
            2 if matches!(value, Wire::Fixed32(_)) => Attribute::Float,
            3 => Attribute::Int(message.int(number, value)?),
            4 => Attribute::Text(message.text(number, value)?),
            5 => Attribute::Tensor(Tensor::read(message.bytes(number, value)?, allowance)?),
            7 if matches!(value, Wire::Fixed32(_)) => {
                floats += 1;
                continue;
            }
            // The runtime does not read packed lists here.
            8 if matches!(value, Wire::Varint(_)) => {
                message.ints(number, value, &mut ints, allowance)?;
                continue;
            }
            9 => {
                message.text(number, value)?;
                strings += 1;
                continue;
            }
            13 => continue,
            20 => {
                kind = message.int(number, value)?;
                continue;
            }
            2 | 7 | 8 => return Err(message.wrong(number)),
            _ => return Err(message.broken("holds what only unknown operators have")),
        };
        if single.replace(found).is_some() {
            return Err(message.broken("has two values"));
        }
    }
    let attribute = match (kind, single, floats, ints.len(), strings) {
        (1, Some(value @ Attribute::Float), 0, 0, 0)
        | (2, Some(value @ Attribute::Int(_)), 0, 0, 0)
        | (3, Some(value @ Attribute::Text(_)), 0, 0, 0)
        | (4, Some(value @ Attribute::Tensor(_)), 0, 0, 0) => value,
        (6, None, count, 0, 0) => Attribute::Floats(count),
        (7, None, 0, _, 0) => Attribute::Ints(ints),
        _ => return Err(message.broken(&format!("({}) has not the value that it says", shown(attribute_name)))),
    };
    Ok((attribute_name, attribute))
}

impl<'a> ValueInfo<'a> {
    fn read(bytes: &'a [u8], allowance: &mut Allowance) -> Result<Self, Refusal> {
        let mut message = Message::new("description of a value", bytes);
        let mut info = Self::default();
        while let Some((number, value)) = message.next(allowance)? {
            if matches!(number, 1 | 2) {
                message.once(number)?;
            }
            match number {
                1 => info.name = name(&message, number, value)?,
                2 => info.read_type(message.bytes(number, value)?, allowance)?,
                _ => (),
            }
        }
        Ok(info)
    }

    fn read_type(&mut self, bytes: &'a [u8], allowance: &mut Allowance) -> Result<(), Refusal> {
        let mut message = Message::new("type", bytes);
        while let Some((number, value)) = message.next(allowance)? {
            match number {
                1 => {
                    message.once(number)?;
                    self.read_tensor_type(message.bytes(number, value)?, allowance)?;
                }
                6 => (),
                // Sequences, maps and the like, which may be nested without end.
                _ => return Err(message.broken("is not that of a tensor")),
            }
        }
        Ok(())
    }

    fn read_tensor_type(&mut self, bytes: &'a [u8], allowance: &mut Allowance) -> Result<(), Refusal> {
        let mut message = Message::new("type", bytes);
        while let Some((number, value)) = message.next(allowance)? {
            message.once(number)?;
            match number {
                1 => self.kind = Some(message.int(number, value)?),
                2 => {
                    let mut shape = Message::new("shape", message.bytes(number, value)?);
                    let mut dims = Vec::new();
                    while let Some((number, value)) = shape.next(allowance)? {
                        if number == 1 && dims.len() < MOST_DIMENSIONS {
                            let fields = [Kind::Int, Kind::Text];
                            let bytes = shape.bytes(number, value)?;
                            let size = read_plain("dimension", bytes, &fields, allowance)?;
                            dims.push(size.and_then(|size| u64::try_from(size).ok()));
                        } else if number == 1 {
                            return Err(shape.broken("has too many dimensions"));
                        }
                    }
                    self.dims = Some(dims);
                }
                _ => (),
            }
        }
        Ok(())
    }
}

/// A kind of field.
#[derive(Clone, Copy)]
enum Kind {
    Int,
    Text,
}

/// Reads a message whose fields, from 1, have these kinds: the last whole number in it.
fn read_plain(
    name: &'static str,
    bytes: &[u8],
    kinds: &[Kind],
    allowance: &mut Allowance,
) -> Result<Option<i64>, Refusal> {
    let (mut message, mut int) = (Message::new(name, bytes), None);
    while let Some((number, value)) = message.next(allowance)? {
        match kinds.get(number as usize - 1) {
            Some(Kind::Int) => {
                message.once(number)?;
                int = Some(message.int(number, value)?);
            }
            Some(Kind::Text) => _ = message.text(number, value)?,
            None => (),
        }
    }
    Ok(int)
}

/// Reads a key and its value.
pub(super) fn read_pair<'a>(bytes: &'a [u8], allowance: &mut Allowance) -> Result<(&'a str, &'a str), Refusal> {
    let (mut message, mut key, mut text) = (Message::new("pair of texts", bytes), "", "");
    while let Some((number, value)) = message.next(allowance)? {
        match number {
            1 => key = message.text(number, value)?,
            2 => text = message.text(number, value)?,
            _ => (),
        }
    }
    Ok((key, text))
}

/// A name, which has a bounded length.
pub(super) fn name<'a>(message: &Message<'a>, number: u32, value: Wire<'a>) -> Result<&'a str, Refusal> {
    let name = message.text(number, value)?;
    if name.len() > MOST_NAME { Err(message.broken("has too long a name")) } else { Ok(name) }
}

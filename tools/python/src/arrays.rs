//! All outcomes of all rolls as one array.

use crate::words::value_error;
use astragal::board::MicroMove;
use astragal::rules::{ChanceNode, Leaf, Roll, RollSet, Turn, winning_rolls};
use bytemuck::{Pod, Zeroable};
use numpy::{PyArray1, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PySlice};
use std::cell::RefCell;
use std::hint::black_box;
use std::mem::{offset_of, size_of};

/// One outcome as it lies in the array.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Row {
    key: u64,
    kinds: [u64; 6],
    colors: [u64; 2],
    targets: u64,
    halfmove: u32,
    moves: [u16; 3],
    roll: u8,
    length: u8,
    castling: u8,
    unused: [u8; 3],
}

const SIZE: usize = size_of::<Row>();

/// The bits of a micro-move: from, to, and the number of what a pawn becomes.
fn packed(mv: MicroMove) -> u16 {
    let kind = mv.promotion().map_or(0, |kind| kind.index() as u16);
    mv.from().index() as u16 | (mv.to().index() as u16) << 6 | kind << 12
}

fn row(roll: Roll, key: u64, position: &astragal::board::Position, turn: &Turn) -> Row {
    use astragal::board::{Color, PieceType};
    let mut moves = [0; 3];
    moves.iter_mut().zip(turn.moves()).for_each(|(place, &mv)| *place = packed(mv));
    Row {
        key,
        kinds: PieceType::ALL.map(|kind| position.kind(kind).0),
        colors: Color::ALL.map(|color| position.color(color).0),
        targets: position.targets().0,
        halfmove: position.halfmove(),
        moves,
        roll: roll.index() as u8,
        length: turn.len() as u8,
        castling: position.castling().index() as u8,
        unused: [0; 3],
    }
}

thread_local! {
    static NODE: RefCell<ChanceNode> = RefCell::default();
}

/// How many outcomes all rolls have, and nothing more: what the library takes by itself, as `cargo bench --bench rules` does.
#[pyfunction]
fn _count_outcomes(position: &crate::position::Position) -> usize {
    NODE.with_borrow_mut(|node| {
        node.expand(&position.rolled.position, RollSet::ALL);
        Roll::all().map(|roll| node.visit(roll, |leaf| _ = black_box(leaf.key()))).sum()
    })
}

/// Gives `take` every outcome of every roll.
fn each_row(position: &astragal::board::Position, mut take: impl FnMut(Row)) {
    NODE.with_borrow_mut(|node| {
        node.expand(position, RollSet::ALL);
        for roll in Roll::all() {
            let add = |leaf: Leaf<'_>| take(row(roll, leaf.key(), &leaf.position(), &leaf.turn()));
            let found = node.visit(roll, add);
            // Nothing is possible, not even a capture of the king.
            if found == 0 && !winning_rolls(position).has(roll) {
                let passed = position.end_turn();
                take(row(roll, passed.key(), &passed, &Turn::PASS));
            }
        }
    });
}

/// The dtype of the array.
fn dtype(py: Python<'_>) -> PyResult<&Bound<'_, PyAny>> {
    static DTYPE: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let made = DTYPE.get_or_try_init(py, || {
        let fields = [
            ("key", "<u8", offset_of!(Row, key)),
            ("kinds", "(6,)<u8", offset_of!(Row, kinds)),
            ("colors", "(2,)<u8", offset_of!(Row, colors)),
            ("targets", "<u8", offset_of!(Row, targets)),
            ("halfmove", "<u4", offset_of!(Row, halfmove)),
            ("moves", "(3,)<u2", offset_of!(Row, moves)),
            ("roll", "u1", offset_of!(Row, roll)),
            ("length", "u1", offset_of!(Row, length)),
            ("castling", "u1", offset_of!(Row, castling)),
        ];
        let description = PyDict::new(py);
        description.set_item("names", fields.map(|(name, ..)| name))?;
        description.set_item("formats", fields.map(|(_, format, _)| format))?;
        description.set_item("offsets", fields.map(|(.., offset)| offset))?;
        description.set_item("itemsize", SIZE)?;
        py.import("numpy")?.call_method1("dtype", (description,)).map(Bound::unbind)
    })?;
    Ok(made.bind(py))
}

/// Adds the dtype, and what its speed is held against.
pub fn add_to(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(_count_outcomes, module)?)?;
    module.add("OUTCOME_DTYPE", dtype(module.py())?)
}

/// What `Position.all_outcomes` does.
pub fn all_outcomes<'py>(
    py: Python<'py>,
    position: &astragal::board::Position,
    out: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let dtype = dtype(py)?;
    let Some(out) = out else {
        let bytes = py.detach(|| {
            let mut bytes = Vec::with_capacity(4096 * SIZE);
            each_row(position, |row| bytes.extend_from_slice(bytemuck::bytes_of(&row)));
            bytes
        });
        return PyArray1::from_vec(py, bytes).call_method1("view", (dtype,));
    };
    let is_fit = out.getattr("dtype")?.eq(dtype)? && out.getattr("ndim")?.extract::<usize>()? == 1;
    if !is_fit {
        return Err(value_error("out must be a one-dimensional array of OUTCOME_DTYPE"));
    }
    let bytes = out.call_method1("view", ("u1",))?;
    let bytes = bytes.cast::<PyArray1<u8>>()?;
    let mut borrowed = bytes.try_readwrite().map_err(value_error)?;
    let room = borrowed.as_slice_mut().map_err(value_error)?;
    let needed = py.detach(|| {
        let mut places = room.chunks_exact_mut(SIZE);
        let mut needed = 0;
        each_row(position, |row| {
            needed += 1;
            if let Some(place) = places.next() {
                place.copy_from_slice(bytemuck::bytes_of(&row));
            }
        });
        needed
    });
    let there = room.len() / SIZE;
    if needed > there {
        return Err(value_error(format!("out has {there} rows, and {needed} are needed")));
    }
    out.get_item(PySlice::new(py, 0, needed as isize, 1))
}

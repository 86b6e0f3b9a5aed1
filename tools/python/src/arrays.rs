//! All outcomes of all rolls as one array.

use crate::words::value_error;
use astragal::board::{Color, MicroMove, PieceType};
use astragal::rules::{ChanceNode, Leaf, Roll, RollSet, Turn, winning_rolls};
use bytemuck::{Pod, Zeroable};
use numpy::{PyArray1, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PySlice};
use std::cell::{LazyCell, RefCell};
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

impl Row {
    /// Writes the outcome here; nothing is made elsewhere first.
    #[inline]
    fn fill(&mut self, roll: Roll, key: u64, position: &astragal::board::Position, turn: &Turn) {
        self.key = key;
        for kind in PieceType::ALL {
            self.kinds[kind.index()] = position.kind(kind).0;
        }
        for color in Color::ALL {
            self.colors[color.index()] = position.color(color).0;
        }
        self.targets = position.targets().0;
        self.halfmove = position.halfmove();
        let moves = turn.moves();
        for (number, place) in self.moves.iter_mut().enumerate() {
            *place = moves.get(number).map_or(0, |&mv| packed(mv));
        }
        self.roll = roll.index() as u8;
        self.length = moves.len() as u8;
        self.castling = position.castling().index() as u8;
        self.unused = [0; 3];
    }
}

thread_local! {
    static NODE: RefCell<ChanceNode> = RefCell::default();
    /// What is filled when no buffer is given; it keeps its room, as the node does.
    static ROWS: RefCell<Vec<Row>> = const { RefCell::new(Vec::new()) };
}

/// How many outcomes all rolls have, and nothing more: what the library takes by itself, as `cargo bench --bench rules` does.
#[pyfunction]
fn _count_outcomes(position: &crate::position::Position) -> usize {
    NODE.with_borrow_mut(|node| {
        node.expand(&position.rolled.position, RollSet::ALL);
        Roll::all().map(|roll| node.visit(roll, |leaf| _ = black_box(leaf.key()))).sum()
    })
}

/// Writes every outcome of every roll where `place` says, and counts them; those without a place are only counted.
fn each_row<'a>(position: &astragal::board::Position, mut place: impl FnMut() -> Option<&'a mut Row>) -> usize {
    NODE.with_borrow_mut(|node| {
        node.expand(position, RollSet::ALL);
        let won = LazyCell::new(|| winning_rolls(position));
        let mut count = 0;
        for roll in Roll::all() {
            let found = node.visit(roll, |leaf: Leaf<'_>| {
                if let Some(row) = place() {
                    row.fill(roll, leaf.key(), &leaf.position(), &leaf.turn());
                }
            });
            count += found;
            // Nothing is possible, not even a capture of the king.
            if found == 0 && !won.has(roll) {
                let passed = position.end_turn();
                if let Some(row) = place() {
                    row.fill(roll, passed.key(), &passed, &Turn::PASS);
                }
                count += 1;
            }
        }
        count
    })
}

/// Fills as many of these rows as there are outcomes; returns how many outcomes there are.
fn fill(position: &astragal::board::Position, rows: &mut [Row]) -> usize {
    let mut rows = rows.iter_mut();
    each_row(position, || rows.next())
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
        return ROWS.with_borrow_mut(|rows| {
            let count = py.detach(|| {
                let count = fill(position, rows);
                if count > rows.len() {
                    rows.resize(count, Row::zeroed());
                    fill(position, rows);
                }
                count
            });
            PyArray1::from_slice(py, bytemuck::cast_slice::<Row, u8>(&rows[..count])).call_method1("view", (dtype,))
        });
    };
    let found = out.getattr("dtype")?;
    let is_fit = (found.is(dtype) || found.eq(dtype)?) && out.getattr("ndim")?.extract::<usize>()? == 1;
    if !is_fit {
        return Err(value_error("out must be a one-dimensional array of OUTCOME_DTYPE"));
    }
    let bytes = out.call_method1("view", ("u1",))?;
    let bytes = bytes.cast::<PyArray1<u8>>()?;
    let mut borrowed = bytes.try_readwrite().map_err(value_error)?;
    let room = borrowed.as_slice_mut().map_err(value_error)?;
    let rows: &mut [Row] =
        bytemuck::try_cast_slice_mut(room).map_err(|_| value_error("out must be aligned to 8 bytes"))?;
    let there = rows.len();
    let needed = py.detach(|| fill(position, rows));
    if needed > there {
        return Err(value_error(format!("out has {there} rows, and {needed} are needed")));
    }
    out.get_item(PySlice::new(py, 0, needed as isize, 1))
}

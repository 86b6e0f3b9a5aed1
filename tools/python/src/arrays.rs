//! All outcomes of all rolls as one array.

use crate::words::value_error;
use astragal::board::{Color, PieceType, Position};
use astragal::rules::{ChanceNode, Leaf, Roll, RollSet, Turn, winning_rolls};
use bytemuck::allocation::{cast_vec, zeroed_vec};
use bytemuck::{Pod, Zeroable};
use numpy::{PyArray1, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PySlice};
use std::cell::{Cell, LazyCell, RefCell};
use std::hint::black_box;
use std::mem::{offset_of, size_of};

/// One outcome as it lies in the array. What is small is put together in words, which are sooner written.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Row {
    key: u64,
    kinds: [u64; 6],
    colors: [u64; 2],
    targets: u64,
    /// From the first byte on: the half-move clock (4), the castling rights (1).
    counters: u64,
    /// From the first byte on: the micro-moves (2 each), how many there are (1), the roll (1).
    turn: u64,
}

const SIZE: usize = size_of::<Row>();

impl Row {
    /// Writes the outcome here; nothing is made elsewhere first.
    #[inline]
    fn fill(&mut self, roll: Roll, key: u64, position: &Position, turn: &Turn) {
        self.key = key;
        for kind in PieceType::ALL {
            self.kinds[kind.index()] = position.kind(kind).0;
        }
        for color in Color::ALL {
            self.colors[color.index()] = position.color(color).0;
        }
        self.targets = position.targets().0;
        self.counters = (u64::from(position.halfmove()) | (position.castling().index() as u64) << 32).to_le();
        let [first, second, third] = turn.bits().map(u64::from);
        let numbers = (turn.len() as u64) << 48 | (roll.index() as u64) << 56;
        self.turn = (first | second << 16 | third << 32 | numbers).to_le();
    }
}

thread_local! {
    static NODE: RefCell<ChanceNode> = RefCell::default();
    /// How many rows the last array had: about as many as the next one needs.
    static ROWS: Cell<usize> = const { Cell::new(0) };
}

/// How many outcomes all rolls have, and nothing more: what the library takes by itself, as `cargo bench --bench rules` does.
#[pyfunction]
fn _count_outcomes(position: &crate::position::Position) -> usize {
    NODE.with_borrow_mut(|node| {
        node.expand(&position.rolled.position, RollSet::ALL);
        Roll::all().map(|roll| node.visit(roll, |leaf| _ = black_box(leaf.key()))).sum()
    })
}

/// Calls `write` with every outcome of every roll, and counts them.
#[inline]
fn each_outcome(position: &Position, mut write: impl FnMut(Roll, u64, &Position, &Turn)) -> usize {
    NODE.with_borrow_mut(|node| {
        node.expand(position, RollSet::ALL);
        let won = LazyCell::new(|| winning_rolls(position));
        let mut count = 0;
        for roll in Roll::all() {
            let found = node.visit(roll, |leaf: Leaf<'_>| write(roll, leaf.key(), &leaf.position(), &leaf.turn()));
            count += found;
            // Nothing is possible, not even a capture of the king.
            if found == 0 && !won.has(roll) {
                let passed = position.end_turn();
                write(roll, passed.key(), &passed, &Turn::PASS);
                count += 1;
            }
        }
        count
    })
}

/// Fills as many of these rows as there are outcomes; returns how many outcomes there are.
fn fill(position: &Position, rows: &mut [Row]) -> usize {
    let mut rows = rows.iter_mut();
    each_outcome(position, |roll, key, position, turn| {
        if let Some(row) = rows.next() {
            row.fill(roll, key, position, turn);
        }
    })
}

/// A row for each outcome, filled where it lies.
///
/// [`fill`] would do for it, but called from two places it is no longer compiled into the search of the outcomes, and both take
/// a third longer.
fn rows_of(position: &Position) -> Vec<Row> {
    let mut rows: Vec<Row> = zeroed_vec(ROWS.get());
    loop {
        let mut places = rows.iter_mut();
        let count = each_outcome(position, |roll, key, position, turn| {
            if let Some(row) = places.next() {
                row.fill(roll, key, position, turn);
            }
        });
        if count <= rows.len() {
            ROWS.set(count);
            rows.truncate(count);
            rows.shrink_to_fit();
            return rows;
        }
        rows = zeroed_vec(count);
    }
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
            ("halfmove", "<u4", offset_of!(Row, counters)),
            ("moves", "(3,)<u2", offset_of!(Row, turn)),
            ("roll", "u1", offset_of!(Row, turn) + 7),
            ("length", "u1", offset_of!(Row, turn) + 6),
            ("castling", "u1", offset_of!(Row, counters) + 4),
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
    position: &Position,
    out: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let dtype = dtype(py)?;
    let Some(out) = out else {
        let rows = py.detach(|| rows_of(position));
        // The array takes the memory over; as words, which need its alignment.
        return PyArray1::from_vec(py, cast_vec::<Row, u64>(rows)).call_method1("view", (dtype,));
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

//! Reading records of any form, and writing journals.

use crate::game::{Game, json_object, json_text};
use crate::words::value_error;
use astragal::record::{self, Header, Journal, JournalError, ReadError};
use pyo3::exceptions::{PyFileExistsError, PyOSError, PyValueError};
use pyo3::prelude::*;
use std::fs::File;
use std::io::BufReader;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

/// Adds the classes and functions.
pub fn add_to(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Records>()?;
    module.add_class::<JournalWriter>()?;
    module.add_function(wrap_pyfunction!(default_header, module)?)
}

fn read_error(error: ReadError) -> PyErr {
    match error {
        ReadError::Io(error) => error.into(),
        error => value_error(error),
    }
}

fn journal_error(error: JournalError) -> PyErr {
    let text = error.to_string();
    match error {
        JournalError::Exists(_) => PyFileExistsError::new_err(text),
        JournalError::Io(..) | JournalError::NoFile(_) | JournalError::InUse(_) => PyOSError::new_err(text),
        JournalError::Read(..) | JournalError::Differs(..) | JournalError::OldFormat(..) => PyValueError::new_err(text),
    }
}

/// The games of a file, one after another, whatever its form: a journal, a text record, or histories of the platform.
///
/// Iterating gives ``Game``. A game that cannot be read raises ``ValueError`` with the number of its line; asking for the next
/// one goes on after it.
#[pyclass(frozen, module = "astragal")]
pub struct Records {
    inner: Mutex<record::Records<BufReader<File>>>,
}

impl Records {
    fn with<R>(&self, work: impl FnOnce(&mut record::Records<BufReader<File>>) -> R) -> R {
        work(&mut self.inner.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[pymethods]
impl Records {
    /// Opens a file. Raises ``OSError`` if it cannot be read, ``ValueError`` if it is a journal of a later format.
    #[new]
    fn new(path: PathBuf) -> PyResult<Self> {
        let inner = record::Records::new(BufReader::new(File::open(path)?)).map_err(read_error)?;
        Ok(Self { inner: Mutex::new(inner) })
    }

    /// The form: ``"journal"``, ``"text"`` or ``"history"``.
    #[getter]
    fn form(&self) -> &'static str {
        self.with(|records| records.form().id())
    }

    /// The header of the journal as a dictionary, or one made up, with the players that games have named so far.
    #[getter]
    fn header<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let text = self.with(|records| serde_json::to_string(records.header())).map_err(value_error)?;
        json_object(py, &text)
    }

    /// The number of the last line of a journal, if it was torn and so left out.
    #[getter]
    fn torn(&self) -> Option<usize> {
        self.with(|records| records.torn())
    }

    const fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<Game>> {
        let next = py.detach(|| self.with(record::Records::next_game));
        next.transpose().map(|game| game.map(|inner| Game { inner })).map_err(read_error)
    }
}

/// The header of a journal of games that come by no schedule, as a dictionary. ``program`` is the name and version of who
/// writes it.
#[pyfunction]
fn default_header<'py>(py: Python<'py>, program: &str) -> PyResult<Bound<'py, PyAny>> {
    json_object(py, &serde_json::to_string(&Header::free(program, Vec::new())).map_err(value_error)?)
}

/// A journal that is being written, one JSON line a game.
///
/// ``header`` is a dictionary such as ``Records.header`` gives. The file must be new; with ``resume`` a journal of the same
/// event is continued, a torn last line is cut off, and ``numbers`` lists the games that it holds. To be closed, or used
/// as a context manager. Raises ``FileExistsError``, ``OSError``, or ``ValueError`` if the header is bad or another one.
#[pyclass(frozen, module = "astragal")]
pub struct JournalWriter {
    journal: Mutex<Option<Journal>>,
    numbers: Vec<u64>,
}

#[pymethods]
impl JournalWriter {
    #[new]
    #[pyo3(signature = (path, header, *, resume = false))]
    fn new(path: PathBuf, header: &Bound<'_, PyAny>, resume: bool) -> PyResult<Self> {
        let header: Header = serde_json::from_str(&json_text(header)?).map_err(value_error)?;
        let mut numbers = Vec::new();
        let journal = if resume && path.exists() {
            Journal::resume(&path, &header, |game| numbers.push(game.number)).map(|(journal, _)| journal)
        } else {
            Journal::create(&path, &header)
        };
        Ok(Self { journal: Mutex::new(Some(journal.map_err(journal_error)?)), numbers })
    }

    /// The numbers of the games that were there when it was opened.
    #[getter]
    fn numbers(&self) -> Vec<u64> {
        self.numbers.clone()
    }

    /// Writes a game at once. Raises ``OSError``, or ``ValueError`` if the journal is closed.
    fn append(&self, game: &Game) -> PyResult<()> {
        let mut journal = self.journal.lock().unwrap_or_else(PoisonError::into_inner);
        let journal = journal.as_mut().ok_or_else(|| value_error("the journal is closed"))?;
        journal.append(&game.inner).map_err(journal_error)
    }

    /// Closes the file. More than once does nothing.
    fn close(&self) {
        self.journal.lock().unwrap_or_else(PoisonError::into_inner).take();
    }

    const fn __enter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    #[pyo3(signature = (*_exception))]
    fn __exit__(&self, _exception: &Bound<'_, pyo3::types::PyTuple>) -> bool {
        self.close();
        false
    }
}

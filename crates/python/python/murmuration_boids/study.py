"""Studies: what `sweep` returns."""

from collections.abc import Mapping

from .native import Error, study


class Table(Mapping):
    """The columns of a table by name, in order: NumPy arrays of numbers or texts, one per row; NaN for a missing number."""

    def __init__(self, index, columns):
        self._index, self._columns = index, columns

    def __getitem__(self, name):
        return self._columns[name]

    def __iter__(self):
        return iter(self._columns)

    def __len__(self):
        return len(self._columns)

    def __repr__(self):
        return f"<Table of {len(self[self._index])} rows: {', '.join(self)}>"

    def to_pandas(self):
        """A pandas.DataFrame. Raises Error if pandas is not installed."""
        return _installed("pandas").DataFrame(self._columns)

    def to_xarray(self):
        """An xarray.Dataset with the first column as its only dimension. Raises Error if xarray is not installed."""
        variables = {name: (self._index, column) for name, column in self.items()}
        return _installed("xarray").Dataset(variables).set_coords(self._index)


class Study:
    """The tables of a study."""

    def __init__(self, tables):
        self._tables = {name: Table("setting" if name == "summary" else "run", table) for name, table in tables.items()}

    @property
    def runs(self):
        """One row per run: its number, the varied parameters, its seed, its steps, its measures and its hash."""
        return self._tables["runs"]

    @property
    def summary(self):
        """One row per setting: the mean of each measure over the seeds, and its confidence interval."""
        return self._tables["summary"]

    @property
    def series(self):
        """One row per sample; None without `series=True`."""
        return self._tables.get("series")

    def __repr__(self):
        return f"<Study: {', '.join(f'{name} {len(next(iter(table.values())))}' for name, table in self._tables.items())}>"


def sweep(spec=None, *, vary=None, columns=None, out=None, **arguments):
    """Runs a flock many times, over settings and seeds, on all cores, like `murmuration sweep`; returns a Study.

    `spec` is a file that says what is varied and measured. Its keys are also arguments, which take precedence: `steps`,
    `seeds` (a number or a list), `after`, `every`, `series`, `preset`, `config`, `boids`, any parameter for all runs by its
    name, and `columns`, the measures. `vary` maps names of parameters to values: a list, or "from:to:points". Lists have at
    most a million values. `engine`, `numeric`, `threads`, `adapter`, `backend`, `kernel` and `jobs` are those of the program.

    `out` is a new folder for the tables, the manifest and the log of finished runs. With `resume=True` a study in it is
    continued, and with `retry_failed=True` failed runs are repeated. Without `out` nothing is saved.

    Ctrl-C stops it between two steps with KeyboardInterrupt. Raises UsageError for an invalid study, and Error if runs fail:
    their folder, which the error names, is then kept.
    """
    return Study(study(spec, vary=vary, columns=columns, out=out, **arguments))


def _installed(name):
    try:
        return __import__(name)
    except ImportError as error:
        raise Error(f"{name} is not installed: pip install {name}") from error

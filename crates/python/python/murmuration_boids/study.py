"""Studies: what `sweep` returns."""

from collections.abc import Mapping

from .native import Error, study


class Table(Mapping):
    """The columns of a table by their names, in order: NumPy arrays, a number or a text a row; NaN where there is none."""

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
        """A pandas.DataFrame. Raises Error where pandas is not installed."""
        return _installed("pandas").DataFrame(self._columns)

    def to_xarray(self):
        """An xarray.Dataset, whose one dimension is the first column. Raises Error where xarray is not installed."""
        variables = {name: (self._index, column) for name, column in self.items()}
        return _installed("xarray").Dataset(variables).set_coords(self._index)


class Study:
    """The tables of a study."""

    def __init__(self, tables):
        self._tables = {name: Table("setting" if name == "summary" else "run", table) for name, table in tables.items()}

    @property
    def runs(self):
        """A row a run: its number, what is varied, its seed, the steps it has taken, its measures and its hash."""
        return self._tables["runs"]

    @property
    def summary(self):
        """A row a setting: of each measure the mean over the seeds, and the interval of it."""
        return self._tables["summary"]

    @property
    def series(self):
        """A row a sample; None without `series=True`."""
        return self._tables.get("series")

    def __repr__(self):
        return f"<Study: {', '.join(f'{name} {len(next(iter(table.values())))}' for name, table in self._tables.items())}>"


def sweep(spec=None, *, vary=None, columns=None, out=None, **arguments):
    """Does many runs of a flock, over settings and seeds, on all cores, as `murmuration sweep` does; returns a Study.

    `spec` is a file that says what is varied and measured; its keys are options as well, and win over it: `steps`, `seeds` (a
    number or a list), `after`, `every`, `series`, `preset`, `config`, `boids`, any parameter for all runs, by its name, and
    `columns`, the measures. `vary` has values of parameters by their names: a list, or "from:to:points". Lists
    have at most a million values. `engine`, `numeric`, `threads`, `adapter`, `backend`, `kernel` and `jobs` are those of the program.

    `out` is the folder for tables, manifest and the log of finished runs, a new one; with `resume=True` a study there goes
    on, with `retry_failed=True` also where runs have failed. Without it nothing is kept.

    Ctrl-C ends it between two steps, by KeyboardInterrupt. Raises UsageError for a study that is not valid, Error where runs
    fail: its folder, which the error names, is kept then.
    """
    return Study(study(spec, vary=vary, columns=columns, out=out, **arguments))


def _installed(name):
    try:
        return __import__(name)
    except ImportError as error:
        raise Error(f"{name} is not installed: pip install {name}") from error

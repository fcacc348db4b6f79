"""test_display - values become representations: whole if they are honest, bounded if not."""

import base64
import builtins
import collections
import json
import sys
import tracemalloc
import types
import unittest
from unittest import mock

import display

PNG = b"\x89PNG\r\n\x1a\n"


class Rich:
    """Has whatever methods a test gives it."""

    def __init__(self, **answers):
        self.__dict__.update({k: (lambda v=v, **_: v) for k, v in answers.items()})

    def __repr__(self):
        return "Rich"


class Text(unittest.TestCase):
    """display.text, the text/plain of a value."""

    def test_ordinary_values_look_as_in_the_interpreter(self):
        point = collections.namedtuple("point", "x y")(1, 2)
        for value in (
            *(None, 1, -1.5, "it's", b"\0", True, (), (1,), [], {}, set(), {1}, frozenset({2})),
            *({"a": [1, (2,)], 3: {4}}, [[]], range(3), point, collections.Counter("abca")),
            *({1: 2}.keys(), {1: 2}.items(), collections.deque([1], 3), int, print),
            collections.defaultdict(list, {1: [2]}),
        ):
            with self.subTest(value=value):
                self.assertEqual(display.text(value), repr(value))

    def test_large_values_below_the_cap_are_whole(self):
        for value in (
            list(range(100_000)),
            {i: str(i) for i in range(30_000)},
            tuple([i, {i: (i,)}] for i in range(20_000)),
            {i: collections.OrderedDict() for i in range(20_000)},
            [[()], [(1,)], set(), frozenset()] * 10_000,
            {str(i) for i in range(20_000)},
        ):
            with self.subTest(kind=type(value)):
                self.assertEqual(display.text(value), repr(value))

    def test_huge_containers_are_cut(self):
        million = range(1_000_000)
        for value in (
            list(million),
            dict.fromkeys(million),
            set(million),
            collections.deque(million),
            collections.Counter(million),
            dict.fromkeys(million).keys(),
            [list(range(1000))] * 1_000_000,
        ):
            with self.subTest(kind=type(value)):
                shown = display.text(value)
                self.assertRegex(shown[-60:], r"\.\.\. \[cut: its length is 1000000\]$")
                self.assertLess(len(shown), display.TEXT_MAX + 100)

    def test_huge_containers_cost_little_memory(self):
        value = ["x" * 1000] * 1_000_000
        tracemalloc.start()
        shown = display.text(value)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        self.assertIn("[cut:", shown[-60:])
        self.assertLess(peak, 16 << 20)

    def test_the_beginning_of_a_cut_text_is_the_real_one(self):
        for value in (list(range(300_000)), [{"a": 1}, [2, (3,)]] * 100_000):
            cut = display.text(value)
            self.assertEqual(cut[: display.TEXT_MAX], repr(value)[: display.TEXT_MAX])

    def test_huge_strings_are_cut(self):
        for value in ("x" * (100 << 20), b"x" * (100 << 20), ["x" * (100 << 20)]):
            shown = display.text(value)
            self.assertIn("[cut:", shown[-60:])
            self.assertLess(len(shown), display.TEXT_MAX + 100)

    def test_a_huge_repr_is_cut(self):
        class Long:
            def __repr__(self):
                return "y" * (3 << 20)

        shown = display.text(Long())
        self.assertTrue(shown.endswith("y... [cut: 2097152 more characters]"))

    def test_recursive_containers_end(self):
        one, two, three = [], {}, collections.deque()
        one.append(one)
        two["x"] = (two,)
        three.append([three])
        self.assertEqual(display.text(one), repr(one))
        self.assertEqual(display.text(two), "{'x': ({...},)}")
        self.assertEqual(display.text(three), "deque([[deque([...])]])")

    def test_exponential_nesting_ends(self):
        value = [1]
        for _ in range(60):
            value = [value, value]
        self.assertIn("[cut: its length is 2]", display.text(value))

    def test_deep_nesting_ends(self):
        value = []
        for _ in range(200_000):
            value = [value]
        self.assertIn("[...]", display.text(value))
        while value:
            value = value[0]  # freed in steps

    def test_a_repr_that_raises_is_told(self):
        class Bad:
            def __repr__(self):
                raise ValueError("no\nrepr")

        expected = "<Bad object; its repr raised ValueError: no repr>"
        self.assertEqual(display.text(Bad()), expected)
        self.assertIn("its repr raised ValueError", display.text([Bad()]))

    def test_a_repr_that_raises_something_awful_is_told(self):
        class Awful(Exception):
            def __str__(self):
                raise self

        class Bad:
            def __repr__(self):
                raise Awful

        self.assertIn("Awful: <exception str() failed>", display.text(Bad()))

    def test_a_repr_that_is_no_str_is_told(self):
        class Bad:
            def __repr__(self):
                return 3

        self.assertIn("TypeError: __repr__ returned non-string", display.text(Bad()))

    def test_a_repr_that_recurses_is_told(self):
        class Bad:
            def __repr__(self):
                return repr(self)

        self.assertIn("RecursionError", display.text(Bad()))

    def test_an_interrupt_in_a_repr_is_not_swallowed(self):
        class Slow:
            def __repr__(self):
                raise KeyboardInterrupt

        self.assertRaises(KeyboardInterrupt, display.text, Slow())

    def test_a_str_subclass_becomes_str(self):
        class Sly(str):
            def __len__(self):
                return 0

            def __getitem__(self, key):
                return self

        class Bad:
            def __repr__(self):
                return Sly("z" * (3 << 20))

        shown = display.text(Bad())
        self.assertIs(type(shown), str)
        self.assertLess(len(shown), display.TEXT_MAX + 100)

    def test_lone_surrogates_are_escaped(self):
        class Odd:
            def __repr__(self):
                return "a\udc80\U0001f600"

        self.assertEqual(display.text(Odd()), "a\\udc80\U0001f600")

    def test_a_class_that_lies_or_has_no_hash_is_shown(self):
        class Meta(type):
            __hash__ = None

            def __eq__(self, other):
                raise ValueError

            def __getattribute__(self, name):
                raise ValueError

        class Liar(metaclass=Meta):
            __class__ = list

            def __repr__(self):
                return "liar"

        self.assertEqual(display.text(Liar()), "liar")
        self.assertEqual(display.bundle(Liar()), {"text/plain": "liar"})

    def test_a_container_that_changes_meanwhile_is_told(self):
        victim = {}

        class Growing:
            def __repr__(self):
                victim[len(victim)] = 0
                return "growing"

        victim.update((i, Growing()) for i in range(100_000))
        self.assertIsInstance(display.text(victim), str)


class Bundle(unittest.TestCase):
    """display.bundle, all representations of a value."""

    def test_text_is_always_there_and_first(self):
        self.assertEqual(display.bundle(1), {"text/plain": "1"})
        found = display.bundle(Rich(_repr_html_="<b>"))
        self.assertEqual(list(found.items()), [("text/plain", "Rich"), ("text/html", "<b>")])

    def test_every_method_is_asked(self):
        for name, mime in display.METHODS:
            data = {"a": 1} if mime == "application/json" else "data"
            with self.subTest(name=name):
                self.assertIn(mime, display.bundle(Rich(**{name: data})))

    def test_bytes_become_base64(self):
        found = display.bundle(Rich(_repr_png_=PNG, _repr_jpeg_=bytearray(PNG)))
        self.assertEqual(base64.b64decode(found["image/png"]), PNG)
        self.assertEqual(base64.b64decode(found["image/jpeg"]), PNG)

    def test_bytes_of_a_text_type_become_text(self):
        found = display.bundle(Rich(_repr_svg_=b"<svg/>", _repr_html_=b"\xff"))
        self.assertEqual(found["image/svg+xml"], "<svg/>")
        self.assertNotIn("text/html", found)

    def test_json_becomes_json_text(self):
        found = display.bundle(Rich(_repr_json_={"a": [1, None]}))
        self.assertEqual(json.loads(found["application/json"]), {"a": [1, None]})

    def test_what_is_not_json_is_left_out(self):
        for data in ({1: object()}, [float("nan")], {(1,): 2}):
            found = display.bundle(Rich(_repr_json_=data))
            self.assertEqual(found, {"text/plain": "Rich"})

    def test_metadata_is_dropped(self):
        value = Rich(_repr_png_=(PNG, {"width": 3}), _repr_html_=("<i>", {}))
        found = display.bundle(value)
        self.assertEqual(base64.b64decode(found["image/png"]), PNG)
        self.assertEqual(found["text/html"], "<i>")

    def test_none_is_left_out(self):
        self.assertEqual(display.bundle(Rich(_repr_html_=None)), {"text/plain": "Rich"})

    def test_wrong_kinds_are_left_out(self):
        value = Rich(_repr_html_=3, _repr_png_={"a": 1}, _repr_mimebundle_=[1])
        self.assertEqual(display.bundle(value), {"text/plain": "Rich"})

    def test_a_method_that_raises_is_left_out(self):
        class Bad(Rich):
            def _repr_html_(self):
                raise ValueError

            @property
            def _repr_svg_(self):
                raise ValueError

        found = display.bundle(Bad(_repr_latex_="$x$"))
        self.assertEqual(list(found), ["text/plain", "text/latex"])

    def test_an_interrupt_in_a_method_is_not_swallowed(self):
        class Slow:
            def _repr_html_(self):
                raise KeyboardInterrupt

        self.assertRaises(KeyboardInterrupt, display.bundle, Slow())

    def test_a_mimebundle_wins(self):
        class Both(Rich):
            def _repr_mimebundle_(self, include=None, exclude=None):
                chart = {"mark": "bar"}
                data = {"text/html": "<b>", "text/plain": "plain", "image/png": PNG}
                return {**data, "application/vnd.vega.v5+json": chart, "bad": "x", 3: "y"}, {}

        found = display.bundle(Both(_repr_html_="<i>", _repr_latex_="$x$"))
        self.assertEqual(found["text/plain"], "plain")
        self.assertEqual(found["text/html"], "<b>")
        self.assertEqual(found["text/latex"], "$x$")
        self.assertEqual(base64.b64decode(found["image/png"]), PNG)
        self.assertEqual(found["application/vnd.vega.v5+json"], '{"mark": "bar"}')
        self.assertEqual(len(found), 5)

    def test_classes_are_not_asked(self):
        class Table:
            @classmethod
            def _repr_html_(cls):
                return "<table>"

        self.assertEqual(list(display.bundle(Table)), ["text/plain"])
        self.assertEqual(display.bundle(Table())["text/html"], "<table>")

    def test_values_that_claim_every_attribute_are_not_asked(self):
        class Anything:
            def __getattr__(self, name):
                return lambda *_, **__: "<b>"

        self.assertEqual(list(display.bundle(Anything())), ["text/plain"])
        self.assertEqual(list(display.bundle(mock.MagicMock())), ["text/plain"])

    def test_a_large_piece_is_dropped_and_listed(self):
        value = Rich(_repr_html_="x" * (17 << 20), _repr_png_=b"x" * (17 << 20), _repr_latex_="$")
        found = display.bundle(value)
        self.assertEqual(set(found), {"text/plain", "text/latex", "dropped"})
        self.assertIn("text/html: 17825792 characters", found["dropped"])
        self.assertIn("image/png", found["dropped"])

    def test_base64_counts_with_its_own_size(self):
        found = display.bundle(Rich(_repr_png_=b"x" * (13 << 20)))
        self.assertIn("image/png", found["dropped"])

    def test_a_bundle_has_a_total_limit(self):
        pieces = {f"text/x{i}": "x" * (10 << 20) for i in range(8)}
        found = display.bundle(Rich(_repr_mimebundle_=pieces))
        self.assertLessEqual(sum(map(len, found.values())), display.BUNDLE_MAX + 4096)
        self.assertIn("text/x7", found["dropped"])

    def test_a_bundle_has_a_limit_of_types(self):
        pieces = {f"text/x{i}": "x" for i in range(10_000)}
        found = display.bundle(Rich(_repr_mimebundle_=pieces))
        self.assertLessEqual(len(found), display.TYPES_MAX + 1)

    def test_everything_is_exactly_str(self):
        class Sly(str):
            pass

        value = Rich(_repr_mimebundle_={Sly("text/html"): Sly("\udc80")}, _repr_latex_=Sly("$"))
        for key, data in display.bundle(value).items():
            self.assertIs(type(key), str)
            self.assertIs(type(data), str)
            data.encode()

    def test_replaced_builtins_do_no_harm(self):
        names = ("repr", "len", "type", "id", "isinstance", "getattr", "iter", "str", "Exception")
        with ReplacedBuiltins(names):
            found = display.bundle([1, {2: "x"}])
        self.assertEqual(found, {"text/plain": "[1, {2: 'x'}]"})


class ReplacedBuiltins:
    """Replaces builtins by something that fails; puts them back."""

    def __init__(self, names):
        self.names = names

    def __enter__(self):
        self.module, self.saved = vars(builtins), {n: vars(builtins)[n] for n in self.names}
        self.module.update(dict.fromkeys(self.names, "replaced"))

    def __exit__(self, *_):
        self.module.update(self.saved)


class Figure:
    """What figures() uses of a matplotlib figure."""

    dpi = 100.0

    def __init__(self, number, data=PNG, size=(6.4, 4.8)):
        self.number, self.data, self.size, self.saved = number, data, size, []

    def __repr__(self):
        return f"<Figure {self.number}>"

    def get_size_inches(self):
        return self.size

    def savefig(self, file, **options):
        self.saved.append(options)
        if isinstance(self.data, BaseException):
            raise self.data
        file.write(b"<svg/>" if options["format"] == "svg" else self.data)


def pyplot_with(*figures):
    """Return modules with the protocol of matplotlib.pyplot and matplotlib.figure."""
    pyplot, module = types.ModuleType("matplotlib.pyplot"), types.ModuleType("matplotlib.figure")
    opened = {figure.number: figure for figure in figures}
    pyplot.get_fignums = lambda: list(opened)
    pyplot.fignum_exists = opened.__contains__
    pyplot.figure = lambda number: opened[number]
    pyplot.close = lambda which: opened.clear()
    module.Figure = Figure
    return {"matplotlib.pyplot": pyplot, "matplotlib.figure": module}


class Figures(unittest.TestCase):
    """display.figures, with a fake pyplot."""

    def draw(self, *figures, formats=("png",)):
        with mock.patch.dict(sys.modules, pyplot_with(*figures)):
            drawn = display.figures(formats)
            self.assertEqual(sys.modules["matplotlib.pyplot"].get_fignums(), [])
        json.dumps(drawn)
        return drawn

    def test_without_pyplot_there_are_none(self):
        with mock.patch.dict(sys.modules):
            sys.modules.pop("matplotlib.pyplot", None)
            self.assertEqual(display.figures(), [])
            self.assertNotIn("matplotlib.pyplot", sys.modules)

    def test_a_strange_pyplot_does_no_harm(self):
        for pyplot in (None, 3, types.ModuleType("half"), mock.MagicMock()):
            with mock.patch.dict(sys.modules, {"matplotlib.pyplot": pyplot}):
                self.assertIsInstance(display.figures(), list)

    def test_figures_are_drawn_in_order_and_closed(self):
        drawn = self.draw(Figure(7, b"7"), Figure(2, b"2"), Figure(3, b"3"))
        self.assertEqual([base64.b64decode(d["image/png"]) for d in drawn], [b"2", b"3", b"7"])
        self.assertEqual(drawn[0]["text/plain"], "<Figure 2>")

    def test_margins_are_cut_off(self):
        figure = Figure(1)
        self.draw(figure)
        self.assertEqual(figure.saved, [{"format": "png", "bbox_inches": "tight"}])

    def test_svg_comes_on_request_as_text(self):
        (drawn,) = self.draw(Figure(1), formats=("png", "svg"))
        self.assertEqual(drawn["image/svg+xml"], "<svg/>")
        self.assertIn("image/png", drawn)
        (drawn,) = self.draw(Figure(1), formats=["svg"])
        self.assertNotIn("image/png", drawn)

    def test_an_error_is_reported_and_others_are_drawn(self):
        bad, good = self.draw(Figure(1, ValueError("bad math")), Figure(2))
        self.assertEqual(bad["error"], "png: ValueError: bad math")
        self.assertIn("image/png", good)

    def test_an_unknown_format_is_an_error(self):
        (drawn,) = self.draw(Figure(1), formats=("bmp",))
        self.assertIn("bmp", drawn["error"])

    def test_an_interrupt_closes_figures_too(self):
        modules = pyplot_with(Figure(1, KeyboardInterrupt()))
        with mock.patch.dict(sys.modules, modules):
            self.assertRaises(KeyboardInterrupt, display.figures)
            self.assertEqual(modules["matplotlib.pyplot"].get_fignums(), [])

    def test_inches_meant_as_pixels_are_refused(self):
        figure = Figure(1, size=(640, 480))
        (drawn,) = self.draw(figure)
        self.assertIn("64000 x 48000 pixels are too many", drawn["error"])
        self.assertEqual(figure.saved, [])

    def test_a_large_picture_is_dropped_and_listed(self):
        (drawn,) = self.draw(Figure(1, b"x" * (17 << 20)))
        self.assertIn("image/png", drawn["dropped"])
        self.assertNotIn("image/png", drawn)

    def test_figures_have_a_limit(self):
        drawn = self.draw(*(Figure(i) for i in range(1, 111)))
        self.assertEqual(len(drawn), display.FIGURES_MAX + 1)
        self.assertEqual(drawn[-1]["dropped"], "10 more figures")
        drawn = self.draw(*(Figure(i, b"x" * (12 << 20)) for i in range(1, 11)))
        self.assertEqual(drawn[-1]["dropped"], "6 more figures")

    def test_a_figure_as_value_is_drawn(self):
        with mock.patch.dict(sys.modules, pyplot_with()):
            self.assertIn("image/png", display.bundle(Figure(1)))
            self.assertNotIn("image/png", display.bundle(Figure(1), ()))

    def test_an_open_figure_is_told_from_a_closed_one(self):
        figure = Figure(1)
        with mock.patch.dict(sys.modules, pyplot_with(figure)):
            self.assertTrue(display.is_open_figure(figure))
            self.assertFalse(display.is_open_figure(Figure(2)))
            self.assertFalse(display.is_open_figure(1))

    def test_the_real_matplotlib(self):
        try:
            import matplotlib
        except ImportError:
            self.skipTest("cannot: matplotlib is not installed")
        matplotlib.use("agg")
        from matplotlib import pyplot

        pyplot.plot([1, 2])
        pyplot.figure()
        first, second = display.figures(("png", "svg"))
        self.assertTrue(base64.b64decode(first["image/png"]).startswith(PNG))
        self.assertIn("<svg", second["image/svg+xml"])
        self.assertEqual(pyplot.get_fignums(), [])

    def test_the_real_pandas(self):
        try:
            import pandas
        except ImportError:
            self.skipTest("cannot: pandas is not installed")
        found = display.bundle(pandas.DataFrame({"a": [1]}))
        self.assertIn("<table", found["text/html"])
        self.assertIn("a", found["text/plain"])


class Display(unittest.TestCase):
    """display.Sink, what display() is in a session."""

    def setUp(self):
        self.sink = display.Sink()

    def test_bundles_come_in_order_once(self):
        self.sink.display(1, "x")
        self.sink.display(Rich(_repr_html_="<b>"))
        texts = [shown["text/plain"] for shown in self.sink.take()]
        self.assertEqual(texts, ["1", "'x'", "Rich"])
        self.assertEqual(self.sink.take(), [])

    def test_types_can_be_chosen(self):
        value = Rich(_repr_html_="<b>", _repr_latex_="$x$")
        self.sink.display(value, include=["text/html"])
        self.sink.display(value, exclude=["text/html"])
        first, second = self.sink.take()
        self.assertEqual(first, {"text/html": "<b>"})
        self.assertEqual(second, {"text/plain": "Rich", "text/latex": "$x$"})

    def test_raw_data_is_taken_as_it_is(self):
        self.sink.display({"text/html": "<b>", "image/png": PNG}, raw=True)
        (shown,) = self.sink.take()
        self.assertEqual(shown["text/html"], "<b>")
        self.assertEqual(base64.b64decode(shown["image/png"]), PNG)
        with self.assertRaises(TypeError):
            self.sink.display(3, raw=True)

    def test_options_of_ipython_are_accepted(self):
        self.sink.display(1, display_id="x", metadata={}, clear=True)
        self.assertEqual(len(self.sink.take()), 1)

    def test_metadata_is_kept(self):
        class Wide:
            def _repr_png_(self):
                return b"png", {"width": 3}

        class Whole:
            def _repr_mimebundle_(self, include=None, exclude=None):
                return {"text/html": "<p>"}, {"text/html": {"isolated": True}}

        self.sink.display(Wide(), Whole(), metadata={"a/b": 1})
        self.sink.display({"text/html": "<p>"}, raw=True, metadata={"text/html": {"x": [1]}})
        self.sink.display(1, metadata={"a/b": {1, 2}})
        self.sink.display(1, metadata={"a/b": "x" * display.METADATA_MAX})
        wide, whole, raw, odd, large = self.sink.take()
        self.assertEqual(json.loads(wide["metadata"]), {"image/png": {"width": 3}, "a/b": 1})
        self.assertEqual(json.loads(whole["metadata"]), {"text/html": {"isolated": True}, "a/b": 1})
        self.assertEqual(json.loads(raw["metadata"]), {"text/html": {"x": [1]}})
        self.assertEqual((odd, large), ({"text/plain": "1"}, {"text/plain": "1"}))

    def test_what_has_a_name_can_be_replaced(self):
        handle = self.sink.display(1, display_id=True)
        self.sink.display("between")
        handle.update(2)
        self.sink.update_display(3, display_id="none")
        self.assertEqual([shown["text/plain"] for shown in self.sink.take()], ["2", "'between'", "3"])
        handle.update(4)  # its run is over
        self.assertEqual([shown["text/plain"] for shown in self.sink.take()], ["4"])
        self.assertIsNone(self.sink.display(5))

    def test_many_displays_are_counted_not_kept(self):
        for number in range(display.DISPLAYS_MAX + 5):
            self.sink.display(number)
        shown = self.sink.take()
        self.assertEqual(len(shown), display.DISPLAYS_MAX + 1)
        self.assertEqual(shown[-1]["dropped"], "5 more displays")
        self.sink.display(1)
        self.assertEqual(self.sink.take(), [{"text/plain": "1"}])

    def test_places_come_before_what_is_kept(self):
        seen = []
        self.sink.display("before any run")
        self.sink.begin(False, ("png",), lambda: seen.append(len(self.sink._bundles)))
        self.sink.display(1, 2)
        self.assertEqual(seen, [1, 1, 2])
        self.assertEqual(len(self.sink.take()), 3)
        self.sink.display("after it")
        self.assertEqual(len(seen), 3)

    def test_large_displays_are_counted_not_kept(self):
        for _ in range(20):
            self.sink.display(Rich(_repr_html_="x" * (15 << 20)))
        shown = self.sink.take()
        self.assertEqual(shown[-1]["dropped"], "15 more displays")

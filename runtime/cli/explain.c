/*
 * explain - print the steps of a run, in their order, without running it.
 */
#include "cli/explain.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/mount.h>

#include "base/parse.h"
#include "base/say.h"
#include "inside/confine.h"
#include "netpolicy/egress_proxy.h"
#include "spec/policy.h"

static void explain_print_row(const char *name, const char *text)
{
	printf("%-10s ", name);
	say_line(stdout, text);
	putchar('\n');
}

static void explain_print_program(const struct sandbox *s)
{
	printf("image      %s (", s->image.reference);
	say_line(stdout, s->image.config.id);
	printf(")\ncommand   ");
	for (size_t i = 0; i < s->program.argv.count; i++) {
		putchar(' ');
		say_line(stdout, s->program.argv.items[i]);
	}
	printf("\nuser       %u:%u inside, %u:%u on the host\n", s->map.inside_uid,
	       s->map.inside_gid, s->map.host_uid, s->map.host_gid);
	explain_print_row("directory", s->program.workdir);
	for (size_t i = 0; i < s->program.env.count; i++)
		explain_print_row(i ? "" : "variables", s->program.env.items[i]);
}

static void explain_print_bytes(const char *name, uint64_t bytes)
{
	char text[24];

	printf("%-10s %s\n", name, bytes == SPEC_UNLIMITED ? "no limit" : format_size(bytes, text));
}

static void explain_print_ms(const char *name, uint64_t ms)
{
	if (ms == SPEC_UNLIMITED)
		printf("%-10s no limit\n", name);
	else
		printf("%-10s %gs\n", name, (double)ms / 1000);
}

static void explain_print_limits(const struct limits *l)
{
	puts("\nLimits");
	explain_print_bytes("memory", l->memory_bytes);
	explain_print_bytes("swap", l->swap_bytes);
	if (l->pids == SPEC_UNLIMITED)
		puts("pids       no limit");
	else
		printf("pids       %" PRIu64 "\n", l->pids);
	if (l->cpu_quota_us == SPEC_UNLIMITED)
		puts("cpus       no limit");
	else
		printf("cpus       %g\n", (double)l->cpu_quota_us / (double)l->cpu_period_us);
	if (l->cpuset)
		explain_print_row("cpuset", l->cpuset);
	explain_print_ms("wall time", l->wall_time_ms);
	explain_print_ms("cpu time", l->cpu_time_ms);
	explain_print_bytes("output", l->output_bytes);
}

/* Print the administrator's ceilings; they have been read once, so they are valid. */
static void explain_print_ceilings(void)
{
	auto_buf struct buf text = {0};
	auto_policy struct policy policy;
	struct err ignored;

	if (policy_read(&policy, &ignored))
		return;
	policy_write(&policy, "\n           ", &text);
	if (text.length)
		printf("at most    %s\n", buf_string(&text));
}

static void explain_print_rule(const struct egress_rule *rule, const char *name)
{
	auto_buf struct buf host = {0};

	egress_write_host(rule, &host);
	printf("%-10s ", name);
	say_line(stdout, buf_string(&host));
	printf(":%u %s%s%s\n", rule->port, egress_kind_name(rule->kind),
	       rule->allow_private ? ", also at private addresses" : "",
	       rule->on_host ? ", on the loopback of this machine" : "");
}

static void explain_print_published(const struct egress_published *p, const char *name)
{
	auto_buf struct buf outside = {0};

	egress_write_endpoint(&p->address, p->host_port, &outside);
	if (!p->host_port)
		buf_cut(&outside, outside.length - 2); /* ":0" */
	printf("%-10s %s%s -> %u inside\n", name, buf_string(&outside),
	       p->host_port ? "" : ", any free port", p->port);
}

void explain_list(const struct egress_spec *list)
{
	if (!list->rule_count)
		puts("reaches    nothing");
	for (size_t i = 0; i < list->rule_count; i++)
		explain_print_rule(&list->rules[i], i ? "" : "reaches");
}

/* Zero means no limit. */
static void explain_print_network(const struct egress_spec *s)
{
	auto_buf struct buf proxy = {0};

	if (!egress_is_wanted(s))
		return;
	puts("\nNetwork");
	if (s->has_list)
		explain_list(s);
	for (size_t i = 0; i < s->published_count; i++)
		explain_print_published(&s->published[i], i ? "" : "published");
	printf("at once    %" PRIu64 " connections\n", s->connections);
	explain_print_bytes("a second", s->rate_bytes ? s->rate_bytes : SPEC_UNLIMITED);
	explain_print_bytes("in all", s->total_bytes ? s->total_bytes : SPEC_UNLIMITED);
	if (s->proxy) {
		egress_proxy_write(s->proxy, &proxy);
		explain_print_row("through", buf_string(&proxy));
	}
	if (s->log.text)
		explain_print_row("log", s->log.text);
}

/* Print a file system's data, or the source of a mount or link. */
static void explain_print_source(const char *source, bool options)
{
	printf(options ? " (" : " <- ");
	say_line(stdout, source);
	printf(options ? ")" : "");
}

static void explain_print_op(const struct root_op *op)
{
	static const char *const kinds[] = {
		[ROOT_DIR] = "dir",       [ROOT_FILE] = "file",       [ROOT_LINK] = "link",
		[ROOT_BIND] = "bind",     [ROOT_TMPFS] = "tmpfs",     [ROOT_PROC] = "proc",
		[ROOT_DEVPTS] = "devpts", [ROOT_BASE] = "root",       [ROOT_SEAL] = "seal",
		[ROOT_TEXT] = "text",     [ROOT_OVERLAY] = "overlay", [ROOT_PROC_TEXT] = "text",
		[ROOT_OWN] = "bind",
	};

	if (op->kind == ROOT_DIR || op->kind == ROOT_FILE || op->kind == ROOT_SEAL ||
	    op->kind == ROOT_PROC_CLOSE)
		return;
	printf("%-7s /", kinds[op->kind]);
	say_line(stdout, op->path);
	if (op->kind == ROOT_PROC)
		printf(" (hidepid=2,subset=pid)");
	else if (op->source)
		explain_print_source(op->source, op->kind == ROOT_TMPFS ||
							 op->kind == ROOT_DEVPTS ||
							 op->kind == ROOT_OVERLAY);
	if (op->kind != ROOT_LINK)
		printf(" %s%s%s%s", op->attributes & MOUNT_ATTR_RDONLY ? "ro" : "rw",
		       op->attributes & MOUNT_ATTR_NOSUID ? ",nosuid" : "",
		       op->attributes & MOUNT_ATTR_NODEV ? ",nodev" : "",
		       op->attributes & MOUNT_ATTR_NOEXEC ? ",noexec" : "");
	if (op->own_dirs)
		printf(", the image is another user's: its directories are made anew");
	putchar('\n');
}

static void explain_print_steps(const char *title, const struct step *steps)
{
	printf("\n%s\n", title);
	for (const struct step *s = steps; s->name; s++)
		printf("%-18s %s\n", s->name, s->leaves);
}

/* A warm start takes the same steps in other processes (inside/cell.h). */
static void explain_print_all_steps(bool warm)
{
	if (warm) {
		explain_print_steps("pid 1, in order, while the cell waits", cell_init_steps);
		explain_print_steps("The program, in order, when the request comes", cell_steps);
		explain_print_steps("and then", program_steps);
		explain_print_steps("pid 1, before any request", reaper_steps);
	} else {
		explain_print_steps("pid 1, in order", init_steps);
		explain_print_steps("The program, in order", program_steps);
		explain_print_steps("pid 1, after the program has been forked", reaper_steps);
	}
}

int explain(const struct sandbox *s, const char *cold)
{
	static const char *const filters[] = {
		[SECCOMP_SHIPPED] = "the shipped policy (policy/python.json)",
		[SECCOMP_PROFILE] = "your profile",
		[SECCOMP_UNCONFINED] = "NONE, by your own flag",
	};

	explain_print_program(s);
	printf("start      %s", cold ? "cold: " : "from a warm cell");
	say_line(stdout, cold ? cold : "");
	putchar('\n');
	explain_print_limits(&s->spec->limits);
	explain_print_ceilings();
	explain_print_network(&s->spec->egress);
	printf("\nRoot, %s, built from\n",
	       s->spec->writable ? "with changes in memory until the end" : "read-only");
	for (size_t i = 0; i < s->root.count; i++)
		explain_print_op(&s->root.ops[i]);
	printf("\nNamespaces: user pid mount net ipc uts cgroup, all new\n");
	printf("System calls: %s, %u instructions\n", filters[s->spec->seccomp],
	       s->plan.filter.len);
	printf("Landlock: %s\n", s->plan.landlock_abi ? "yes" : "not in this kernel");
	explain_print_all_steps(!cold);
	return 0;
}

/*
 * build - `glovebox image build`: build a Debian root from a recipe, or an image from a Dockerfile.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/escape.h"
#include "base/own.h"
#include "cgroup/cgroup.h"
#include "command.h"
#include "dockerfile_build.h"
#include "finish.h"
#include "image/image_reference.h"
#include "rootfs/archive/extract.h"
#include "rootfs/archive/meta.h"
#include "rootfs/chamber/progress.h"
#include "rootfs/debian/debian.h"
#include "rootfs/debian/python_version.h"
#include "rootfs/debian/recipe.h"
#include "rootfs/debian/share.h"
#include "rootfs/debian/sources.h"
#include "rootfs/store/store.h"
#include "spec/policy.h"
#include "spec/program_flags.h"
#include "spec/spec.h"

struct options {
	const char *what;
	const char *suite;
	struct list tags;
	struct list apt;
	struct list pip;
	struct list mirrors;
	uint64_t stale_days;
	bool allow_sdist;
	bool verbose;
	bool no_cache;

	/* for a Dockerfile */
	const char *file; /* NULL: not given */
	const char *target;
	struct list given;
	bool pull;
	bool quiet;
	struct sandbox_spec spec;      /* its network */
	struct limits limits;          /* of each RUN */
	uint64_t asked[SETTING_GIVEN]; /* bits of the rows given */
};

static void build_options_fini(struct options *o)
{
	list_fini(&o->apt);
	list_fini(&o->pip);
	list_fini(&o->mirrors);
	list_fini(&o->tags);
	list_fini(&o->given);
	spec_fini(&o->spec);
}
#define auto_options __attribute__((cleanup(build_options_fini)))

/* Load the recipe, and add the command line's packages. */
static int build_load_recipe(const struct options *o, const char *share, struct recipe *r,
			     struct err *e)
{
	auto_free char *directory = own_printf("%s/recipes", share);

	if (recipe_load(r, o->what, directory, e))
		return -1;
	for (size_t i = 0; i < o->apt.count; i++) {
		if (recipe_add(r, "apt", o->apt.items[i], e))
			return err_prefix(e, "--apt");
	}
	for (size_t i = 0; i < o->pip.count; i++) {
		if (recipe_add(r, "pip", o->pip.items[i], e))
			return err_prefix(e, "--pip");
	}
	if (r->pip.count)
		return recipe_add(r, "apt", "python3-pip", e);
	return 0;
}

static int build_choose_suite(const struct options *o, const struct recipe *r, char **out,
			      struct err *e)
{
	if (o->suite) {
		*out = own_strdup(o->suite);
		return recipe_check_suite(o->suite, e) ? err_prefix(e, "--suite") : 0;
	}
	if (r->suite) {
		*out = own_strdup(r->suite);
		return 0;
	}
	return sources_host_suite(out, e);
}

static void build_describe(const struct recipe *r, const char *suite, struct meta *meta)
{
	for (size_t i = 0; i < r->env.count; i++)
		list_add(&meta->env, r->env.items[i]);
	for (size_t i = 0; i < r->preload.count; i++)
		list_add(&meta->preload, r->preload.items[i]);
	list_add(&meta->cmd, "python3");
	meta->user = own_strdup("1000:1000");
	meta->workdir = own_strdup("");
	meta->suite = own_strdup(suite);
	meta->recipe = own_strdup(r->name);
}

/* Unpack the stream of the new root as it comes. */
static int build_receive(const struct debian_request *q, struct work *work, struct err *e)
{
	auto_reader struct reader *r = NULL;
	struct err theirs = {0};
	struct debian child;
	struct extract x;
	int status;

	if (debian_start(q, &child, e))
		return -1;
	extract_init(&x, work->root_fd, EXTRACT_BYTES_DEFAULT);
	r = reader_open(child.last.out_fd, "the new root", e);
	status = r ? extract_archive(&x, r, EXTRACT_ALL, e) : -1;
	extract_report(&x);
	extract_fini(&x);
	/* If both failed, debian's failure came first: a truncated stream is only a symptom. */
	if (debian_finish(&child, status != 0, &theirs) && e->number != ENOSPC) {
		*e = theirs;
		return -1;
	}
	return status;
}

/* A name without a tag gets a second one with the version of Python. */
static int build_add_version(const char *name, int root_fd, struct list *references, struct err *e)
{
	const char *last = strrchr(name, '/');
	char version[PYTHON_VERSION_SIZE];
	auto_free char *reference = NULL;
	auto_free char *text = NULL;

	if (strchr(last ? last : name, ':') || python_version(root_fd, version))
		return 0;
	text = own_printf("%s:%s", name, version);
	if (image_reference(text, &reference, e))
		return -1;
	list_add(references, reference);
	return 0;
}

/* @name: as typed; @references: its canonical form, and other names; one more may be added */
static int build(const struct debian_request *q, const char *name, struct list *references,
		 struct err *e)
{
	auto_store struct store store = {.fd = -1, .tmp_fd = -1};
	auto_work struct work work = {.fd = -1};
	auto_meta struct meta meta = {0};
	char id[65];

	if (store_open(&store, e) || work_start(&store, &work, e))
		return -1;
	progress_say("building %s from Debian packages (%s), this takes minutes",
		     references->items[0], q->suite);
	for (size_t i = 0; progress_is_verbose() && i < q->mirrors->count; i++) {
		auto_buf struct buf line = {0};

		escape_line(q->mirrors->items[i], strlen(q->mirrors->items[i]), &line);
		progress_say("source %s", buf_string(&line));
	}
	if (q->bases)
		base_cache_open(&store, q->bases);
	build_describe(q->recipe, q->suite, &meta);
	if (build_receive(q, &work, e))
		return -1;
	/* The stream lacks it; a run needs the mount point. */
	if (mkdirat(work.root_fd, "dev", 0755) && errno != EEXIST)
		return err_sys(e, "make dev");
	progress_say("hashing");
	if (build_add_version(name, work.root_fd, references, e) ||
	    image_finish(&work, &meta, references, NULL, id, e))
		return -1;
	image_announce(references, id, meta.size_bytes);
	return 0;
}

/* @name: of the recipe */
static int build_read_names(const struct options *o, const char *name, struct list *out,
			    struct err *e)
{
	for (size_t i = 0; i < o->tags.count || i == 0; i++) {
		auto_free char *reference = NULL;

		if (image_reference(o->tags.count ? o->tags.items[i] : name, &reference, e))
			return -1;
		if (!strncmp(reference, "host:", 5))
			return err_input(
				e, "\"host\" is the built-in image: choose another name, --tag");
		list_add(out, reference);
	}
	return 0;
}

static int build_prepare_and_build(struct options *o, struct err *e)
{
	auto_base_cache struct base_cache bases = {
		.kept = {.fd = -1, .lock_fd = -1},
                  .status_fd = -1
        };
	auto_recipe struct recipe recipe = {0};
	auto_list struct list references = {0};
	auto_free char *suite = NULL;
	char share[PATH_MAX];
	struct debian_request q = {.recipe = &recipe,
				   .share = share,
				   .bases = o->no_cache ? NULL : &bases,
				   .allow_sdist = o->allow_sdist};

	if (share_find(share, e) || build_load_recipe(o, share, &recipe, e) ||
	    build_read_names(o, recipe.name, &references, e) ||
	    build_choose_suite(o, &recipe, &suite, e))
		return -1;
	if (debian_check(&recipe, e))
		return -1;
	if (!o->mirrors.count)
		sources_collect(suite, &o->mirrors);
	q.suite = suite;
	q.mirrors = &o->mirrors;
	q.stale_days = o->stale_days ? (unsigned)o->stale_days : recipe.stale_days;
	return build(&q, o->tags.count ? o->tags.items[0] : recipe.name, &references, e);
}

/* -- a Dockerfile ---------------------------------------------------------------------------- */

/* Whether the operand is a directory; a shipped recipe of that name has precedence. */
static bool build_is_dockerfile(const struct options *o)
{
	auto_free char *recipe = NULL;
	char share[PATH_MAX];
	struct err ignored;
	struct stat st;

	if (o->file || !strcmp(o->what, "-"))
		return true;
	if (stat(o->what, &st) || !S_ISDIR(st.st_mode))
		return false;
	if (strchr(o->what, '/') || *o->what == '.' || share_find(share, &ignored))
		return true;
	recipe = own_printf("%s/recipes/%s.json", share, o->what);
	return access(recipe, F_OK);
}

/* The ceilings of spec/policy.h hold for each RUN; the CPUs of a build have no flag. */
static int build_bound(struct options *o, struct err *e)
{
	static const struct setting cpus[] = {
		{"cpus", 0, "N", GROUP_LIMITS, FACE_IMAGE, SETTING_MILLI, 0, NULL, .none = "0"},
		SETTING_END,
	};
	const uint64_t period_us = 100000;
	uint64_t milli = SPEC_UNLIMITED;
	const struct setting_table own = {command_build.settings, o, o->asked};
	const struct setting_table of_cpus = {cpus, &milli, (uint64_t[SETTING_GIVEN]){0}};

	if (policy_apply(&own, e) || policy_apply(&of_cpus, e))
		return -1;
	if (milli == SPEC_UNLIMITED)
		return 0;
	o->limits.cpu_period_us = period_us;
	o->limits.cpu_quota_us = milli * period_us / 1000;
	return 0;
}

static int build_of_dockerfile(struct options *o, struct err *e)
{
	const struct dockerfile_request q = {.context = o->what,
					     .file = o->file ? o->file : "",
					     .tags = &o->tags,
					     .given = &o->given,
					     .target = o->target,
					     .spec = &o->spec,
					     .limits = &o->limits,
					     .pull = o->pull,
					     .no_cache = o->no_cache};

	if (o->suite || o->apt.count || o->pip.count || o->mirrors.count || o->stale_days ||
	    o->allow_sdist)
		return err_input(e,
				 "--suite, --apt, --pip, --mirror, --stale-days and "
				 "--allow-sdist are a recipe's; a Dockerfile says it with RUN");
	return build_bound(o, e) || dockerfile_build(&q, e) ? -1 : 0;
}

static int build_of_recipe(struct options *o, struct err *e)
{
	bool limited =
		!cgroup_nothing_to_limit(&o->limits) || o->limits.wall_time_ms != SPEC_UNLIMITED;

	if (o->target || o->given.count || o->pull || egress_is_wanted(&o->spec.egress) || limited)
		return err_input(e,
				 "--target, --build-arg, --pull, --egress, --memory, "
				 "--pids-limit and --timeout are a Dockerfile's: -f FILE DIR");
	return build_prepare_and_build(o, e);
}

static int build_add_mirror(void *target, const char *text, struct err *e)
{
	struct options *o = target;

	if (strncmp(text, "http://", 7) != 0 && strncmp(text, "https://", 8) != 0 &&
	    strncmp(text, "deb ", 4) != 0)
		return err_input(
			e, "%.200s: neither http(s)://... nor a line \"deb URI SUITE main\"", text);
	list_add(&o->mirrors, text);
	return 0;
}

#define AT(field) offsetof(struct options, field)

/* clang-format off */
static const struct setting build_settings[] = {
	{"suite", 0, "SUITE", GROUP_PROGRAM, FACE_IMAGE, SETTING_TEXT, AT(suite), NULL, .min = 1, .words = "this machine's", .help = "Debian release: bullseye, bookworm, trixie, sid"},
	{"apt", 0, "PKG", GROUP_PROGRAM, FACE_IMAGE, SETTING_LIST, AT(apt), NULL, .repeated = true, .help = "add a Debian package (repeatable)"},
	{"pip", 0, "PKG", GROUP_PROGRAM, FACE_IMAGE, SETTING_LIST, AT(pip), NULL, .repeated = true, .help = "add a package from PyPI, wheels only (repeatable)"},
	{"allow-sdist", 0, NULL, GROUP_PROGRAM, FACE_IMAGE, SETTING_FLAG, AT(allow_sdist), NULL, .help = "let pip run a source package's own build code"},
	{"tag", 't', "NAME:TAG", GROUP_PROGRAM, FACE_IMAGE, SETTING_LIST, AT(tags), NULL, .repeated = true, .words = "the recipe's, or the directory's", .help = "name of the image (repeatable); of a recipe without TAG it is tagged latest and with its Python (3.13)"},
	{"mirror", 0, "URL", GROUP_PROGRAM, FACE_IMAGE, SETTING_OWN, 0, NULL, .repeated = true, .parse = build_add_mirror, .words = "this machine's", .help = "fetch from here, or from a line \"deb URI SUITE main\" (repeatable)"},
	{"no-cache", 0, NULL, GROUP_PROGRAM, FACE_IMAGE, SETTING_FLAG, AT(no_cache), NULL, .help = "make everything anew; otherwise recipes with the same base share its installation, and a RUN that was done before is not done again"},
	{"verbose", 'v', NULL, GROUP_RESULT, FACE_IMAGE, SETTING_FLAG, AT(verbose), NULL, .help = "show what apt, dpkg, pip and a RUN print; otherwise only if they fail"},
	{"stale-days", 0, "DAYS", GROUP_PROGRAM, FACE_IMAGE, SETTING_COUNT, AT(stale_days), NULL, .min = 1, .max = STALE_DAYS_MAX, .help = "accept an expired index that is at most this old; its signature is checked all the same"},

	{"file", 'f', "FILE|-", GROUP_FILES, FACE_IMAGE, SETTING_TEXT, AT(file), NULL, .words = "DIR/Dockerfile", .help = "a Dockerfile; - reads it from standard input"},
	{"build-arg", 0, "NAME[=VALUE]", GROUP_FILES, FACE_IMAGE, SETTING_LIST, AT(given), NULL, .repeated = true, .help = "the value of an ARG; a bare NAME is copied from your environment (repeatable)"},
	{"target", 0, "STAGE", GROUP_FILES, FACE_IMAGE, SETTING_TEXT, AT(target), NULL, .min = 1, .words = "the last", .help = "build this stage of a Dockerfile"},
	{"pull", 0, NULL, GROUP_FILES, FACE_IMAGE, SETTING_FLAG, AT(pull), NULL, .help = "fetch the images of FROM even if they are here"},
	{"quiet", 'q', NULL, GROUP_RESULT, FACE_IMAGE, SETTING_FLAG, AT(quiet), NULL, .help = "print the image's name alone"},
	{"memory", 'm', "SIZE", GROUP_LIMITS, FACE_IMAGE, SETTING_BYTES, AT(limits.memory_bytes), "0", .min = 32 << 20, .max = 1ll << 50, .none = "0", .words = "no limit", .help = "of each RUN of a Dockerfile: memory of all processes, with what it writes where the build lies in memory"},
	{"pids-limit", 0, "N", GROUP_LIMITS, FACE_IMAGE, SETTING_COUNT, AT(limits.pids), "0", .min = 2, .max = 4194304, .none = "0|-1", .words = "no limit", .help = "of each RUN: processes and threads"},
	{"timeout", 0, "DURATION", GROUP_LIMITS, FACE_IMAGE, SETTING_DURATION, AT(limits.wall_time_ms), NULL, .min = 1, .max = 1000ll * 86400 * 365, .words = "no limit", .help = "of each RUN: wall-clock time"},
	{"platform", 0, "OS/ARCH", GROUP_DOCKER, FACE_IMAGE, SETTING_OWN, 0, NULL, .parse = program_flag_platform, .help = "only that of this machine"},
	{"network", 0, "default|none", GROUP_DOCKER, FACE_IMAGE, SETTING_MOOT, 0, NULL, .harmless = "default|none", .help = "--egress LIST names what a RUN may reach"},
	{"label", 0, "KEY=VALUE", GROUP_DOCKER, FACE_IMAGE, SETTING_MOOT, 0, NULL, .harmless = "*", .help = "accepted: an image keeps no labels"},
	{"rm", 0, NULL, GROUP_DOCKER, FACE_IMAGE, SETTING_MOOT, 0, NULL, .harmless = "*", .help = "accepted: nothing but the image and what is kept for later builds stays"},
	{"force-rm", 0, NULL, GROUP_DOCKER, FACE_IMAGE, SETTING_MOOT, 0, NULL, .harmless = "*", .help = "accepted, as --rm"},
	{"progress", 0, "KIND", GROUP_DOCKER, FACE_IMAGE, SETTING_MOOT, 0, NULL, .harmless = "*", .help = "accepted: --verbose shows what programs print"},
	{"load", 0, NULL, GROUP_DOCKER, FACE_IMAGE, SETTING_MOOT, 0, NULL, .harmless = "*", .help = "accepted: the image is always there"},
	{"cache-from", 0, "IMAGE", GROUP_DOCKER, FACE_IMAGE, SETTING_MOOT, 0, NULL, .harmless = "*", .help = "accepted: what earlier builds here have made is used"},
	{"provenance", 0, "BOOL", GROUP_DOCKER, FACE_IMAGE, SETTING_MOOT, 0, NULL, .harmless = "false", .help = "nothing is attested"},
	{"push", 0, NULL, GROUP_REFUSED, FACE_IMAGE, SETTING_MOOT, 0, NULL, .help = "a registry is only pulled from"},
	{"output", 'o', "DEST", GROUP_REFUSED, FACE_IMAGE, SETTING_MOOT, 0, NULL, .help = "glovebox image save writes an image to a file"},
	{"secret", 0, "ID", GROUP_REFUSED, FACE_IMAGE, SETTING_MOOT, 0, NULL, .help = "a RUN reads no file of this machine but those of COPY"},
	{"ssh", 0, "ID", GROUP_REFUSED, FACE_IMAGE, SETTING_MOOT, 0, NULL, .help = "a RUN holds no key of yours"},
	SETTING_END,
};
/* clang-format on */

static int build_run(int argc, char **argv, struct err *e)
{
	auto_options struct options o = {
		.limits = {.cpu_quota_us = SPEC_UNLIMITED,
			   .cpu_time_ms = SPEC_UNLIMITED,
			   .wall_time_ms = SPEC_UNLIMITED}
        };
	int at;

	spec_init(&o.spec);
	at = arguments_read(&command_build, argc, argv, &o, e);
	if (at < 0 || arguments_expect(&command_build, argc - at, 1, 1, e))
		return -1;
	o.what = argv[at];
	progress_set_verbose(o.verbose);
	progress_set_quiet(o.quiet);
	return build_is_dockerfile(&o) ? build_of_dockerfile(&o, e) : build_of_recipe(&o, e);
}

const struct command command_build = {
	.name = "build",
	.usage = "[OPTION...] NAME|RECIPE.json|DIR|-",
	.summary = "Build an image from Debian packages, or from a Dockerfile",
	.settings = build_settings,
	.network = true,
	.spec_at = AT(spec),
	.given_at = AT(asked),
	.help = "  NAME             a shipped recipe: python, slim or code-interpreter\n"
		"  RECIPE.json      a recipe of your own\n"
		"  DIR              a directory with a Dockerfile, which FILE names otherwise\n"
		"  -                standard input: a tar of such a directory, or a Dockerfile\n\n"
		"Root is not needed, but an ordinary user needs uidmap and a range in "
		"/etc/subuid.\n"
		"Of the environment only proxies and pip's PIP_INDEX_URL, PIP_EXTRA_INDEX_URL,\n"
		"PIP_FIND_LINKS, PIP_CONSTRAINT, PIP_CERT and the like reach a build of a recipe, "
		"and only its\n"
		"downloads. It is made below TMPDIR (/tmp), which must be a place where no other\n"
		"user can exchange names.\n",
	.run = build_run,
	.recipes = true,
};

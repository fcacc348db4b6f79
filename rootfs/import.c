/*
 * import - `glovebox image import`: import an image from a docker save archive, an OCI archive or a
 * plain root.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/own.h"
#include "command.h"
#include "fetched.h"
#include "finish.h"
#include "image/image.h"
#include "image/image_reference.h"
#include "import.h"
#include "rootfs/archive/extract.h"
#include "rootfs/archive/hosts.h"
#include "rootfs/archive/interrupt.h"
#include "rootfs/archive/layout.h"
#include "rootfs/archive/meta.h"
#include "rootfs/archive/reader.h"
#include "rootfs/archive/seal.h"
#include "rootfs/dockerfile/dockerfile_change.h"
#include "rootfs/store/store.h"

/* A pipe cannot be read twice: store its bytes in the work directory. */
static int import_spool(int from, struct work *work, uint64_t bytes_max, struct err *e)
{
	auto_fd int fd = openat(work->fd, "spool", O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	static char chunk[1 << 17];
	uint64_t total = 0;

	if (fd < 0)
		return err_sys(e, "create spool file");
	for (;;) {
		ssize_t n = read(from, chunk, sizeof(chunk));

		if (interrupt_check(e))
			return -1;
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_sys(e, "read the archive");
		if (n == 0)
			break;
		total += (uint64_t)n;
		if (total > bytes_max)
			return err_input(e, "the archive is larger than --max-size");
		if (io_write_all(fd, chunk, (size_t)n))
			return err_sys(e, "write spool file");
	}
	return lseek(fd, 0, SEEK_SET) ? err_sys(e, "read spool file") : take_fd(&fd);
}

/* Use the archive only if it is complete. */
static int import_spool_fetched(const struct import_request *q, struct work *work, struct err *e)
{
	auto_fd int fd = import_spool(q->fetched->fd, work, q->bytes_max, e);

	return fd < 0 || fetched_check(q->fetched, e) ? -1 : take_fd(&fd);
}

/* A descriptor that can be read from its beginning repeatedly. */
static int import_open_archive(const struct import_request *q, struct work *work, struct err *e)
{
	auto_fd int fd = -1;
	struct stat st;

	if (q->fetched)
		return import_spool_fetched(q, work, e);
	fd = strcmp(q->path, "-") != 0 ? open(q->path, O_RDONLY | O_CLOEXEC)
				       : fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0);
	if (fd < 0 || fstat(fd, &st))
		return err_sys(e, "open %.200s", q->path);
	if (S_ISDIR(st.st_mode))
		return err_input(e,
				 "%.200s is a directory: pack it, \"tar -C %.100s -c . | glovebox "
				 "image import - NAME\"",
				 q->path, q->path);
	if (S_ISREG(st.st_mode) && !lseek(fd, 0, SEEK_SET))
		return take_fd(&fd);
	return import_spool(fd, work, q->bytes_max, e);
}

static int import_apply(struct extract *x, int fd, const char *name, enum extract_pass pass,
			struct err *e)
{
	auto_reader struct reader *r = NULL;

	if (lseek(fd, 0, SEEK_SET))
		return err_sys(e, "read archive");
	r = reader_open(fd, name, e);
	return r ? extract_archive(x, r, pass, e) : -1;
}

static int import_apply_layers(struct extract *x, int dir_fd, const struct layout *l, struct err *e)
{
	for (size_t i = 0; i < l->layers.count; i++) {
		const char *path = l->layers.items[i];
		auto_fd int fd = layout_open(dir_fd, path, e);

		if (fd < 0)
			return -1;
		if (i > 0 && import_apply(x, fd, path, EXTRACT_WHITEOUTS, e))
			return -1;
		if (import_apply(x, fd, path, x->is_saved ? EXTRACT_ALL : EXTRACT_CONTENT, e))
			return -1;
	}
	return 0;
}

/* The 64 digits of "sha256:<digits>", or of the digits alone. NULL with *e. Owned. */
static char *import_read_id(const char *text, struct err *e)
{
	const char *digits = strncmp(text, "sha256:", 7) != 0 ? text : text + 7;

	if (strlen(digits) == STORE_ID_LENGTH &&
	    strspn(digits, "0123456789abcdef") == STORE_ID_LENGTH)
		return own_strdup(digits);
	err_input(
		e,
		"\"%.100s\" is not an id: 64 hexadecimal digits in lower case, as image ls --json "
		"shows them",
		text);
	return NULL;
}

/*
 * Read the members of image save. A recipe would vouch for its interpreter (image/image.h), and
 * anyone can write an archive: so it contains no recipe, and none would be read.
 */
static int import_read_saved(const struct layout *l, int fd, struct extract *x, struct meta *meta,
			     char **id, struct err *e)
{
	const char *said = "";

	x->is_saved = l->saved;
	if (!l->saved)
		return 0;
	if (json_get_string(l->saved, "id", &said, e) ||
	    list_from_json(&meta->preload, l->config_file, "preload", e) ||
	    (json_is_true(json_get(l->saved, "sealed")) && seal_require(fd, e)))
		return err_prefix(e, "image configuration");
	if (!*id)
		*id = import_read_id(said, e);
	return *id ? 0 : -1;
}

/* Unpack the outer archive beside the tree, then its layers into the tree. */
static int import_layout(const struct import_request *q, int fd, struct work *work,
			 struct extract *x, struct meta *meta, char **reference, char **id,
			 struct err *e)
{
	auto_layout struct layout l = {0};
	auto_fd int dir_fd = -1;
	struct extract outer;
	int status;

	if (mkdirat(work->fd, "archive", 0700))
		return err_sys(e, "make work directory");
	dir_fd = openat(work->fd, "archive", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir_fd < 0)
		return err_sys(e, "open work directory");
	extract_init(&outer, dir_fd, q->bytes_max);
	status = import_apply(&outer, fd, q->name, EXTRACT_ALL, e);
	extract_fini(&outer);
	if (status || layout_read(dir_fd, &l, e))
		return -1;
	if (!*reference && !l.tags.count && !q->input)
		return err_input(e,
				 "the archive names no tag: give one, \"glovebox image import "
				 "%.200s NAME\"",
				 q->path);
	if (!*reference && l.tags.count && image_reference(l.tags.items[0], reference, e))
		return -1;
	if (meta_read_config(meta, l.config, e) || import_read_saved(&l, fd, x, meta, id, e))
		return -1;
	return import_apply_layers(x, dir_fd, &l, e);
}

/* "rootfs" from "/x/rootfs.tar.gz"; NULL with *e if that is not an image name. */
static char *import_name_of_file(const struct import_request *q, struct err *e)
{
	const char *slash = strrchr(q->path, '/');
	auto_free char *name = own_strdup(slash ? slash + 1 : q->path);
	char *reference = NULL;
	char *end;

	end = strstr(name, ".t");
	if (end)
		*end = '\0';
	if (strchr(name, ':') || image_reference(name, &reference, e))
		err_input(e,
			  "an archive without a tag needs a name: \"glovebox image import %.200s "
			  "NAME\"",
			  q->path);
	return reference;
}

/* A root has no configuration: it gets that of an image, or none, and then the changes. */
static int import_configure(const struct import_request *q, struct meta *meta, struct err *e)
{
	auto_free char *reference = NULL;
	struct image image;
	int bad;

	if (!q->config_of) {
		list_add(&meta->env,
			 "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin");
		return dockerfile_change(&q->changes, meta, e);
	}
	if (image_reference(q->config_of, &reference, e) || image_open(reference, &image, e))
		return -1;
	bad = image.is_host ? 0 : meta_read_config(meta, json_get(image.document, "config"), e);
	if (image.is_vouched) /* a recipe's user is a default for runs */
		own_free(&meta->user);
	image_close(&image);
	return bad ? -1 : dockerfile_change(&q->changes, meta, e);
}

static int import_root(const struct import_request *q, int fd, struct extract *x, struct meta *meta,
		       char **reference, struct err *e)
{
	if (!*reference)
		*reference = import_name_of_file(q, e);
	if (!*reference || import_apply(x, fd, q->name, EXTRACT_ALL, e))
		return -1;
	return import_configure(q, meta, e);
}

/* Scripts read docker's lines of load, import, commit and pull. */
static void import_announce(const struct import_request *q, const struct list *references,
			    const char *id, uint64_t size_bytes)
{
	const bool as_docker = command_as_docker();

	if (q->config_of || (as_docker && !q->input && !q->fetched))
		printf("sha256:%s\n", id);
	else if (as_docker && references->count && !q->silent && !q->input)
		printf("Status: Downloaded newer image for %s\n", references->items[0]);
	else if (!as_docker && !q->silent)
		image_announce(references, id, size_bytes);
	if (q->input && references->count)
		printf("Loaded image: %s\n", references->items[0]);
	else if (q->input)
		printf("Loaded image ID: sha256:%s\n", id);
}

static int import_into(const struct import_request *q, struct work *work, struct extract *x,
		       struct err *e)
{
	auto_fd int fd = import_open_archive(q, work, e);
	auto_meta struct meta meta = {0};
	auto_list struct list references = {0};
	auto_free char *reference = NULL;
	auto_free char *id = NULL;
	char found[65];
	int layered;

	if (fd < 0 || (q->reference && image_reference(q->reference, &reference, e)))
		return -1;
	if (q->id && !(id = import_read_id(q->id, e)))
		return err_prefix(e, "--id");
	layered = seal_check(fd, e) ? -1 : layout_is_one(fd, q->name, e);
	if (layered < 0)
		return -1;
	if (!layered && q->fetched)
		return err_input(e, "what skopeo brought of %.200s is not an archive of an image",
				 q->name);
	if (layered && (q->config_of || q->changes.count))
		return err_input(e,
				 "--change and --config-of are for a plain root: %.200s is an "
				 "image, with a configuration of its own",
				 q->name);
	if (layered ? import_layout(q, fd, work, x, &meta, &reference, &id, e)
		    : import_root(q, fd, x, &meta, &reference, e))
		return -1;
	if (!x->entries)
		return err_input(e, "%.200s holds no files", q->name);
	extract_report(x);
	if (!x->is_saved && hosts_give(work->root_fd, e))
		return -1;
	if (reference)
		list_add(&references, reference);
	if (image_finish(work, &meta, &references, id, found, e))
		return err_prefix(e, "%.200s", q->name);
	import_announce(q, &references, found, meta.size_bytes);
	return 0;
}

int import_archive(const struct import_request *q, struct err *e)
{
	auto_store struct store store = {.fd = -1, .tmp_fd = -1};
	auto_work struct work work = {.fd = -1};
	auto_free char *reference = NULL;
	struct extract x;
	int status;

	/* Report errors in the request before making anything. */
	if (q->reference && image_reference(q->reference, &reference, e))
		return -1;
	if (reference && !strncmp(reference, "host:", 5))
		return err_input(e, "\"host\" is the built-in image: choose another name");
	if (!q->fetched && strcmp(q->path, "-") != 0 && access(q->path, R_OK))
		return err_sys(e, "open %.200s", q->path);
	if (!q->fetched && !strcmp(q->path, "-") && isatty(STDIN_FILENO))
		return err_input(e,
				 "an archive is not typed: name its file, or redirect standard "
				 "input from it");
	if (store_open(&store, e) || work_start(&store, &work, e))
		return -1;
	extract_init(&x, work.root_fd, q->bytes_max);
	status = import_into(q, &work, &x, e);
	extract_fini(&x);
	return status;
}

/* clang-format off */

static const struct setting import_settings[] = {
	IMPORT_SIZE,
	{"tag", 't', "NAME", GROUP_PROGRAM, FACE_IMAGE, SETTING_TEXT, offsetof(struct import_request, reference), NULL, .min = 1, .help = "the name, as the second word would be"},
	{"id", 0, "SHA256", GROUP_PROGRAM, FACE_IMAGE, SETTING_TEXT, offsetof(struct import_request, id), NULL, .min = 1, .help = "refuse it if it has another id (image ls --json)"},
	{"message", 'm', "TEXT", GROUP_DOCKER, FACE_IMAGE, SETTING_MOOT, 0, NULL, .harmless = "*", .help = "accepted: it is not kept"},
	{"change", 'c', "INSTRUCTION", GROUP_PROGRAM, FACE_IMAGE, SETTING_LIST, offsetof(struct import_request, changes), NULL, .help = "of a Dockerfile, for a plain root: CMD, ENTRYPOINT, ENV, LABEL, USER, WORKDIR"},
	{"config-of", 0, "IMAGE", GROUP_PROGRAM, FACE_IMAGE, SETTING_TEXT, offsetof(struct import_request, config_of), NULL, .min = 1, .help = "a plain root gets the configuration of this image (glovebox commit)"},
	IMPORT_PLATFORM,
	SETTING_END,
};

static const struct setting load_settings[] = {
	IMPORT_SIZE,
	{"input", 'i', "FILE", GROUP_PROGRAM, FACE_IMAGE, SETTING_TEXT, offsetof(struct import_request, input), "-", .min = 1, .help = "the archive"},
	{"quiet", 'q', NULL, GROUP_DOCKER, FACE_IMAGE, SETTING_FLAG, offsetof(struct import_request, quiet), NULL, .help = "accepted: there is no progress to hide"},
	IMPORT_PLATFORM,
	SETTING_END,
};
/* clang-format on */

static int import_run(int argc, char **argv, struct err *e)
{
	struct import_request q = {0};
	int at = arguments_read(&command_import, argc, argv, &q, e);
	int bad;

	if (at < 0 || arguments_expect(&command_import, argc - at, 1, 2, e))
		return -1;
	if (q.reference && at + 1 < argc)
		return err_input(e, "two names: --tag %.100s and %.100s", q.reference,
				 argv[at + 1]);
	q.path = argv[at];
	q.name = strcmp(q.path, "-") != 0 ? q.path : "standard input";
	if (at + 1 < argc)
		q.reference = argv[at + 1];
	bad = import_archive(&q, e);
	list_fini(&q.changes);
	return bad;
}

const struct command command_import = {
	.name = "import",
	.usage = "[--max-size SIZE] [--id SHA256] [--change INSTRUCTION] ARCHIVE|- [NAME[:TAG]]",
	.summary = "Make an image from a docker save, OCI or root archive",
	.settings = import_settings,
	.help = "  ARCHIVE          a tar, plain or compressed (gzip, bzip2, xz, zstd); - reads "
		"stdin\n"
		"  NAME[:TAG]       default: the archive's own tag, or else the file's name\n"
		"\n"
		"Examples:\n"
		"  docker save code-sandbox:latest | glovebox image import -\n"
		"  docker export my-container | glovebox image import - my-root\n"
		"  glovebox image import python.tar.zst        # of glovebox image save\n",
	.run = import_run,
};

static int import_run_load(int argc, char **argv, struct err *e)
{
	struct import_request q = {0};
	int at = arguments_read(&command_load, argc, argv, &q, e);

	if (at < 0 || arguments_expect(&command_load, argc - at, 0, 0, e))
		return -1;
	q.path = q.input ? q.input : "-";
	q.name = strcmp(q.path, "-") != 0 ? q.path : "standard input";
	return import_archive(&q, e);
}

const struct command command_load = {
	.name = "load",
	.usage = "[-i FILE]",
	.summary = "The same as import, with docker load's flags",
	.settings = load_settings,
	.help = "",
	.run = import_run_load,
};

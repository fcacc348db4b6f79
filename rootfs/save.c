/*
 * save - `glovebox image save`: save an image as one file, for another machine.
 *
 * The archive has docker save's format, with one layer, so Docker and podman load it, too. Its
 * configuration has two more members: "preload", and "glovebox", whose "id" an import compares with
 * the unpacked tree. An archive compressed by zstd ends with a seal (seal.h).
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/encode.h"
#include "base/io.h"
#include "base/json_put.h"
#include "base/own.h"
#include "command.h"
#include "fs/replaced_file.h"
#include "image/image.h"
#include "image/image_reference.h"
#include "rootfs/archive/meta.h"
#include "rootfs/archive/pack.h"
#include "rootfs/archive/seal.h"
#include "save_owners.h"
#include "spec/program_flags.h"

struct request {
	struct written_path path; /* NULL, "-": standard output */
};

/* One layer to be written to the archive, or only counted. */
struct layer {
	struct writer *archive; /* NULL: only count */
	struct digest *digest;
	uint64_t size;
	struct err e;
};

/* The destination of an archive. */
struct output {
	int fd;
	struct digest *digest;
};

struct saving {
	const struct image *image;
	struct save_owners owners;
	const char *id; /* 64 digits */
	struct writer *archive;
	bool sealed;
	char layer_digest[DIGEST_HEX];
};

static int save_write(void *context, const void *bytes, size_t length)
{
	const struct output *out = context;

	digest_add(out->digest, bytes, length);
	return io_write_all(out->fd, bytes, length);
}

static int save_layer_bytes(void *context, const void *bytes, size_t length)
{
	struct layer *l = context;

	l->size += length;
	if (!l->archive)
		return 0;
	digest_add(l->digest, bytes, length);
	errno = EIO; /* l->e has the reason */
	return writer_data(l->archive, bytes, length, &l->e);
}

static int save_pack(const struct saving *s, struct layer *l, struct err *e)
{
	auto_writer struct writer *w = writer_open(WRITER_PLAIN, save_layer_bytes, l, e);
	auto_fd int root = openat(s->image->root_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	const struct packing packing = {.out = w,
					.zeros = !l->archive,
					.change = save_owners_change,
					.context = &s->owners};

	if (!w)
		return -1;
	if (root < 0)
		return err_sys(e, "open %s", s->image->root_path);
	if (!pack_tree(&packing, root, e) && !writer_finish(w, e))
		return 0;
	if (l->e.kind != ERR_NONE)
		*e = l->e;
	return -1;
}

static int save_begin_file(const struct saving *s, const char *path, uint64_t size, struct err *e)
{
	struct entry entry = {.type = ENTRY_FILE, .path = path, .mode = 0644, .size = size};

	return writer_entry(s->archive, &entry, e);
}

static int save_document(const struct saving *s, const char *path, const struct buf *text,
			 struct err *e)
{
	return save_begin_file(s, path, text->length, e) ||
			       writer_data(s->archive, text->data, text->length, e)
		       ? -1
		       : 0;
}

/*
 * A tar header precedes the content with its size: so pack the layer twice, once without reading.
 */
static int save_layer(struct saving *s, struct err *e)
{
	auto_free char *path = own_printf("%s.tar", s->id);
	struct layer counted = {0};
	struct layer l = {.archive = s->archive};
	int status;

	if (save_pack(s, &counted, e) || save_begin_file(s, path, counted.size, e))
		return -1;
	l.digest = digest_begin();
	status = save_pack(s, &l, e);
	digest_end(l.digest, s->layer_digest);
	if (status)
		return -1;
	return l.size == counted.size
		       ? 0
		       : err_set(e, ERR_SYSTEM, "the image changed while it was saved");
}

static int save_configuration(const struct saving *s, struct err *e)
{
	auto_free char *path = own_printf("%s.json", s->id);
	auto_free char *layer = own_printf("sha256:%s", s->layer_digest);
	auto_meta struct meta meta = {0};
	auto_buf struct buf text = {0};

	if (meta_read_identity(&meta, s->image->document, e))
		return -1;
	json_put_begin(&text, NULL, '{');
	json_put_text(&text, "architecture", s->image->config.arch);
	json_put_text(&text, "os", "linux");
	meta_identity(&meta, &text);
	json_put_begin(&text, "rootfs", '{');
	json_put_text(&text, "type", "layers");
	json_put_begin(&text, "diff_ids", '[');
	json_put_text(&text, NULL, layer);
	json_put_end(&text, ']');
	json_put_end(&text, '}');
	json_put_begin(&text, "glovebox", '{');
	json_put_text(&text, "id", s->image->config.id);
	if (s->sealed)
		json_put_bool(&text, "sealed", true);
	json_put_end(&text, '}');
	json_put_end(&text, '}');
	return save_document(s, path, &text, e);
}

static int save_manifest(const struct saving *s, struct err *e)
{
	auto_free char *config = own_printf("%s.json", s->id);
	auto_free char *layer = own_printf("%s.tar", s->id);
	auto_buf struct buf text = {0};

	json_put_begin(&text, NULL, '[');
	json_put_begin(&text, NULL, '{');
	json_put_text(&text, "Config", config);
	json_put_begin(&text, "RepoTags", '[');
	if (strncmp(s->image->reference, "sha256:", 7) != 0) /* by its id it has none */
		json_put_text(&text, NULL, s->image->reference);
	json_put_end(&text, ']');
	json_put_begin(&text, "Layers", '[');
	json_put_text(&text, NULL, layer);
	json_put_end(&text, ']');
	json_put_end(&text, '}');
	json_put_end(&text, ']');
	return save_document(s, "manifest.json", &text, e);
}

static int save_archive(const struct image *image, enum writer_filter filter, struct output *out,
			struct err *e)
{
	auto_writer struct writer *archive = writer_open(filter, save_write, out, e);
	struct saving s = {.image = image, .archive = archive, .sealed = filter == WRITER_ZSTD};
	int status;

	if (!archive)
		return -1;
	if (strncmp(image->config.id, "sha256:", 7) != 0)
		return err_input(e, "its image.json has no id: build it anew");
	s.id = image->config.id + 7;
	save_owners_find(image, &s.owners);
	status = save_layer(&s, e) || save_configuration(&s, e) || save_manifest(&s, e) ||
		 writer_finish(archive, e);
	save_owners_fini(&s.owners);
	return status ? -1 : 0;
}

static int save_to(const struct image *image, enum writer_filter filter, int fd, struct err *e)
{
	struct output out = {.fd = fd, .digest = digest_begin()};
	char digest[DIGEST_HEX];
	char seal[SEAL_BYTES];
	int status = save_archive(image, filter, &out, e);

	digest_end(out.digest, digest);
	if (status || filter != WRITER_ZSTD)
		return status;
	seal_make(digest, seal);
	return io_write_all(fd, seal, sizeof(seal)) ? err_sys(e, "write the archive") : 0;
}

static enum writer_filter save_filter(const char *path)
{
	const char *suffix = path ? strrchr(path, '.') : NULL;

	if (suffix && !strcmp(suffix, ".zst"))
		return WRITER_ZSTD;
	return suffix && (!strcmp(suffix, ".gz") || !strcmp(suffix, ".tgz")) ? WRITER_GZIP
									     : WRITER_PLAIN;
}

/* A name that suggests another compression would mislead programs that unpack it. */
static int save_check_name(const char *path, struct err *e)
{
	static const char *const others[] = {".xz", ".bz2", ".txz", ".tbz2", ".tzst", ".zip"};
	const char *suffix = strrchr(path, '.');

	for (size_t i = 0; suffix && i < sizeof(others) / sizeof(*others); i++)
		if (!strcmp(suffix, others[i]))
			return err_input(e,
					 "--output: %.300s: .zst and .gz are what save writes, "
					 "or a plain .tar",
					 path);
	return 0;
}

static int save_to_file(const struct image *image, struct written_path path, struct err *e)
{
	struct replaced_file file;
	int status;

	if (replaced_file_open(&file, path, LINKS_OF_CALLER, 0600, e))
		return -1;
	status = save_to(image, save_filter(path.text), file.fd, e);
	if (replaced_file_end(&file, !status) && !status)
		return err_sys(e, "write %.300s", path.text);
	return status;
}

static int save(const struct request *q, const char *text, struct err *e)
{
	auto_free char *reference = NULL;
	const struct written_path path =
		q->path.text && strcmp(q->path.text, "-") != 0 ? q->path : written_path(NULL);
	struct image image;
	int status;

	if (path.text && save_check_name(path.text, e))
		return -1;
	if (!path.text && isatty(STDOUT_FILENO))
		return err_input(e,
				 "an archive is not for a terminal: give it a file, -o FILE, or "
				 "redirect standard output");
	if (image_reference(text, &reference, e) || image_open(reference, &image, e))
		return -1;
	if (image.is_host)
		status = err_input(e,
				   "\"host\" is this machine's own /usr: there is nothing to "
				   "save");
	else
		status = path.text ? save_to_file(&image, path, e)
				   : save_to(&image, WRITER_PLAIN, STDOUT_FILENO, e);
	image_close(&image);
	return status ? err_prefix(e, "save %s", reference) : 0;
}

/* clang-format off */
static const struct setting save_settings[] = {
	{"output", 'o', "FILE", GROUP_PROGRAM, FACE_IMAGE, SETTING_WRITTEN, offsetof(struct request, path), NULL, .min = 1, .help = "where to; compressed if it ends with .zst or .gz; - is standard output"},
	{"platform", 0, "OS/ARCH", GROUP_DOCKER, FACE_IMAGE, SETTING_OWN, 0, NULL, .parse = program_flag_platform, .help = "only that of this machine"},
	SETTING_END,
};
/* clang-format on */

static int save_run(int argc, char **argv, struct err *e)
{
	struct request q = {0};
	int at = arguments_read(&command_save, argc, argv, &q, e);

	if (at < 0 || arguments_expect(&command_save, argc - at, 1, 1, e))
		return -1;
	return save(&q, argv[at], e);
}

const struct command command_save = {
	.name = "save",
	.usage = "[-o FILE] NAME[:TAG]",
	.summary = "Write an image to one file, for another machine",
	.settings = save_settings,
	.help = "Without -o it goes to standard output. \"glovebox image import FILE\" makes the "
		"same\n"
		"image of it on another machine, without a network, and refuses it if anything in\n"
		"it was changed. Docker and podman load it, too.\n"
		"\n"
		"Examples:\n"
		"  glovebox image save python -o python.tar.zst\n"
		"  glovebox image save python | ssh host glovebox image import -\n",
	.run = save_run,
	.images = true,
};

/*
 * layout - find layers and configuration in a `docker save` or OCI archive.
 *
 *   docker save   manifest.json: [{"Config": FILE, "RepoTags": [...], "Layers": [FILE...]}]
 *   OCI           index.json > manifests > config and layers, all blobs/sha256/<digest>
 *
 * Newer versions of Docker write both into one archive; manifest.json goes
 * first, because only it holds full tags.
 */
#include "layout.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/own.h"
#include "fs/resolve.h"
#include "meta.h"
#include "place.h"
#include "reader.h"

#define DOCUMENT_MAX_BYTES (8u << 20)
#define LAYERS_MAX         1000
#define INDEX_DEPTH_MAX    3
#define BLOBS              "blobs/sha256/"

void layout_fini(struct layout *l)
{
	list_fini(&l->layers);
	list_fini(&l->tags);
	json_free(l->config_file);
	*l = (struct layout){0};
}

static bool layout_is_digest(const char *text, size_t length)
{
	return length == 64 && strspn(text, "0123456789abcdef") >= 64;
}

int layout_open(int dir_fd, const char *path, struct err *e)
{
	/* Older archives link equal layers to each other: follow links inside. */
	auto_fd int fd = resolve_open(dir_fd, path, O_RDONLY | O_NONBLOCK,
				      RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_XDEV);
	bool is_blob = !strncmp(path, BLOBS, strlen(BLOBS));
	const char *digest = is_blob ? strrchr(path, '/') + 1 : NULL;
	char found[65];
	struct stat st;

	if (fd < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode))
		return err_input(e, "the archive has no file %.200s", path);
	if (!digest)
		return take_fd(&fd);
	if (!layout_is_digest(digest, strlen(digest)))
		return err_input(e, "%.200s is not named by a SHA-256", path);
	if (digest_fd(fd, found, e))
		return -1;
	if (strcmp(found, digest) != 0)
		return err_input(e, "%.200s is damaged: its SHA-256 is %s", path, found);
	return lseek(fd, 0, SEEK_SET) ? err_sys(e, "read %.200s", path) : take_fd(&fd);
}

static struct json *layout_document_open(int dir_fd, const char *path, struct err *e)
{
	auto_fd int fd = layout_open(dir_fd, path, e);
	auto_buf struct buf text = {0};
	struct json *document;

	if (fd < 0 || io_read_fd(fd, path, DOCUMENT_MAX_BYTES, &text, e))
		return NULL;
	document = json_parse(buf_string(&text), text.length, e);
	if (!document)
		err_prefix(e, "%.200s", path);
	return document;
}

static int layout_config_open(int dir_fd, const char *path, struct layout *out, struct err *e)
{
	const char *arch = meta_arch();

	out->config_file = layout_document_open(dir_fd, path, e);
	if (!out->config_file || json_get_string(out->config_file, "architecture", &arch, e))
		return -1;
	if (strcmp(arch, meta_arch()) != 0)
		return err_input(e,
				 "the image is for %.40s, this machine is %s: save it with "
				 "--platform linux/%s",
				 arch, meta_arch(), meta_arch());
	out->config = json_get(out->config_file, "config");
	out->saved = json_get(out->config_file, "glovebox");
	return out->layers.count <= LAYERS_MAX
		       ? 0
		       : err_input(e, "the image has more than %d layers", LAYERS_MAX);
}

static int layout_read_docker(int dir_fd, struct layout *out, struct err *e)
{
	auto_json struct json *document = layout_document_open(dir_fd, "manifest.json", e);
	const struct json *image = json_first(document);
	const char *config = NULL;

	if (!document)
		return -1;
	if (!json_is_array(document) || json_count(document) == 0)
		return err_input(e, "manifest.json lists no image");
	if (json_count(document) > 1)
		return err_input(e, "the archive holds %zu images: docker save one at a time",
				 json_count(document));
	if (!json_is_object(image))
		return err_input(e, "manifest.json lists no image");
	if (list_from_json(&out->layers, image, "Layers", e) ||
	    list_from_json(&out->tags, image, "RepoTags", e) ||
	    json_get_string(image, "Config", &config, e))
		return err_prefix(e, "manifest.json");
	if (!config)
		return err_input(e, "manifest.json names no \"Config\"");
	return layout_config_open(dir_fd, config, out, e);
}

/* "blobs/sha256/<hex>" of a descriptor; NULL with *e. Owned by the caller. */
static char *layout_blob_path(const struct json *descriptor, struct err *e)
{
	const char *digest = "";

	if (json_get_string(descriptor, "digest", &digest, e))
		return NULL;
	if (strncmp(digest, "sha256:", 7) != 0 ||
	    !layout_is_digest(digest + 7, strlen(digest + 7))) {
		err_input(e, "\"%.100s\" is not a sha256 digest", digest);
		return NULL;
	}
	return own_printf(BLOBS "%s", digest + 7);
}

/* Whether a manifest is for this machine. One without an architecture counts as such. */
static bool layout_fits(const struct json *descriptor)
{
	const struct json *platform = json_get(descriptor, "platform");
	const char *os = json_string(json_get(platform, "os"));
	const char *arch = json_string(json_get(platform, "architecture"));

	return (!os || !strcmp(os, "linux")) && (!arch || !strcmp(arch, meta_arch()));
}

static void layout_note_tag(const struct json *descriptor, struct layout *out)
{
	static const char *const keys[] = {"io.containerd.image.name",
					   "org.opencontainers.image.ref.name"};
	const struct json *annotations = json_get(descriptor, "annotations");

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]) && !out->tags.count; i++) {
		const char *tag = json_string(json_get(annotations, keys[i]));

		/* A bare "latest" is a tag without a name, which is useless here. */
		if (tag && (i == 0 || strpbrk(tag, ":/")))
			list_add(&out->tags, tag);
	}
}

static int layout_read_oci_manifest(int dir_fd, const struct json *manifest, struct layout *out,
				    struct err *e)
{
	auto_free char *config = layout_blob_path(json_get(manifest, "config"), e);
	const struct json *layers = NULL;

	if (!config || json_get_array(manifest, "layers", &layers, e))
		return err_prefix(e, "OCI manifest");
	for (const struct json *n = json_first(layers); n; n = json_next(n)) {
		auto_free char *path = layout_blob_path(n, e);

		if (!path)
			return err_prefix(e, "OCI manifest");
		list_add(&out->layers, path);
	}
	return layout_config_open(dir_fd, config, out, e);
}

static int layout_read_oci(int dir_fd, const char *path, int depth, struct layout *out,
			   struct err *e)
{
	auto_json struct json *document = layout_document_open(dir_fd, path, e);
	const struct json *manifests = NULL;
	const struct json *chosen = NULL;
	auto_free char *next = NULL;
	size_t fitting = 0;

	if (!document || json_get_array(document, "manifests", &manifests, e))
		return -1;
	if (!manifests)
		return layout_read_oci_manifest(dir_fd, document, out, e);
	for (const struct json *n = json_first(manifests); n; n = json_next(n)) {
		if (!layout_fits(n))
			continue;
		fitting++;
		chosen = n;
	}
	if (fitting == 0)
		return err_input(e, "the archive has no image for linux/%s", meta_arch());
	if (fitting > 1)
		return err_input(e, "the archive holds %zu images: save one at a time", fitting);
	if (depth >= INDEX_DEPTH_MAX)
		return err_input(e, "the archive's indexes are nested too deep");
	layout_note_tag(chosen, out);
	next = layout_blob_path(chosen, e);
	return next ? layout_read_oci(dir_fd, next, depth + 1, out, e) : -1;
}

int layout_read(int dir_fd, struct layout *out, struct err *e)
{
	*out = (struct layout){0};
	if (!faccessat(dir_fd, "manifest.json", F_OK, AT_SYMLINK_NOFOLLOW))
		return layout_read_docker(dir_fd, out, e);
	return layout_read_oci(dir_fd, "index.json", 0, out, e);
}

/* Names that only such archives have at their top. */
static bool layout_is_layout_name(const char *path)
{
	static const char *const names[] = {"manifest.json", "index.json", "oci-layout",
					    "repositories", "blobs"};
	size_t length = strcspn(path, "/");

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (length == strlen(names[i]) && !strncmp(path, names[i], length))
			return true;
	}
	/* A configuration; a layer, as podman and skopeo write it. */
	if ((length == 69 && !memcmp(path + 64, ".json", 5)) ||
	    (length == 68 && !memcmp(path + 64, ".tar", 4)))
		length = 64;
	return layout_is_digest(path, length);
}

int layout_is_one(int fd, const char *name, struct err *e)
{
	auto_reader struct reader *r = reader_open(fd, name, e);
	struct entry entry;
	struct place p;
	bool found = false;
	int more;

	if (!r)
		return -1;
	while ((more = reader_next(r, &entry, e)) > 0) {
		if (place_set(&p, entry.path) || (*p.path && !layout_is_layout_name(p.path)))
			return 0;
		found |= !strcmp(p.path, "manifest.json") || !strcmp(p.path, "index.json");
	}
	return more < 0 ? -1 : found;
}

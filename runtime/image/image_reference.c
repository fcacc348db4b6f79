/*
 * image_reference - the canonical form of an image's name, by Docker's grammar.
 *
 *   [domain[:port]/]component[/component...][:tag]
 *
 * The result is also a file name in the store once its '/' are written '+', so this grammar keeps a
 * name inside STORE/tags. No side effects.
 */
#include "image/image_reference.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"

#define NAME_MAX_BYTES 255
#define TAG_MAX_BYTES  128

static bool image_reference_lower_or_digit(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

/* The length of a separator between two letters or digits: "." "_" "__" or dashes. 0: none. */
static size_t image_reference_separator(const char *p, const char *end)
{
	size_t dashes = 0;

	while (p + dashes < end && p[dashes] == '-')
		dashes++;
	if (dashes)
		return dashes;
	if (p + 1 < end && p[0] == '_' && p[1] == '_')
		return 2;
	return p < end && (*p == '.' || *p == '_');
}

static bool image_reference_component_ok(const char *p, const char *end)
{
	if (p == end || !image_reference_lower_or_digit(*p))
		return false;
	while (p < end) {
		while (p < end && image_reference_lower_or_digit(*p))
			p++;
		if (p == end)
			return true;
		p += image_reference_separator(p, end);
		if (p == end || !image_reference_lower_or_digit(*p))
			return false;
	}
	return true;
}

static bool image_reference_path_ok(const char *p, const char *end)
{
	for (;;) {
		const char *slash = memchr(p, '/', (size_t)(end - p));

		if (!image_reference_component_ok(p, slash ? slash : end))
			return false;
		if (!slash)
			return true;
		p = slash + 1;
	}
}

/* The first part is a registry if Docker would take it for one. */
static bool image_reference_is_domain(const char *p, const char *end)
{
	size_t length = (size_t)(end - p);

	return memchr(p, '.', length) || memchr(p, ':', length) ||
	       (length == 9 && !memcmp(p, "localhost", 9));
}

static bool image_reference_domain_ok(const char *p, const char *end)
{
	const char *colon = memchr(p, ':', (size_t)(end - p));
	const char *host_end = colon ? colon : end;

	if (p == host_end)
		return false;
	for (const char *q = p; q < host_end; q++) {
		bool edge = q == p || q + 1 == host_end || q[-1] == '.' || q[1] == '.';

		if (!isalnum((unsigned char)*q) && (edge || (*q != '-' && *q != '.')))
			return false;
	}
	for (const char *q = host_end + 1; colon && q < end; q++) {
		if (!isdigit((unsigned char)*q))
			return false;
	}
	return !colon || colon + 1 < end;
}

static bool image_reference_tag_ok(const char *tag)
{
	size_t length = strlen(tag);

	if (length == 0 || length > TAG_MAX_BYTES || *tag == '.' || *tag == '-')
		return false;
	for (const char *p = tag; *p; p++) {
		if (!isalnum((unsigned char)*p) && !strchr("_.-", *p))
			return false;
	}
	return true;
}

/* Docker Hub is implied in names: docker.io/library/python is python. */
static const char *image_reference_without_hub(const char *text)
{
	static const char *const hubs[] = {"docker.io/", "index.docker.io/"};
	const char *rest = text;

	for (size_t i = 0; i < sizeof(hubs) / sizeof(hubs[0]); i++) {
		if (!strncmp(text, hubs[i], strlen(hubs[i])))
			rest = text + strlen(hubs[i]);
	}
	if (rest != text && !strncmp(rest, "library/", 8) && !strchr(rest + 8, '/'))
		rest += 8;
	return rest;
}

static int image_reference_refuse(const char *text, const char *why, struct err *e)
{
	return err_input(e, "image name \"%.100s\" is not valid: %s", text, why);
}

int image_reference(const char *text, char **out, struct err *e)
{
	const char *name = image_reference_without_hub(text);
	const char *path = name;
	const char *slash = strchr(name, '/');
	const char *last = strrchr(name, '/');
	const char *colon = strchr(last ? last : name, ':');
	const char *end = colon ? colon : name + strlen(name);
	const char *tag = colon ? colon + 1 : "latest";

	if (!*text)
		return image_reference_refuse(text, "it is empty", e);
	if (strchr(text, '@'))
		return image_reference_refuse(
			text, "digests (@sha256:...) are not supported, use a tag", e);
	if (slash && image_reference_is_domain(name, slash)) {
		/* Without docker.io in front the name would belong to the other registry. */
		if (name != text)
			return image_reference_refuse(text, "it names two registries", e);
		if (!image_reference_domain_ok(name, slash))
			return image_reference_refuse(text,
						      "the registry must be HOST or HOST:PORT", e);
		path = slash + 1;
	}
	for (const char *p = path; p < end; p++) {
		if (isupper((unsigned char)*p))
			return image_reference_refuse(text, "it must be lower case", e);
	}
	if (!image_reference_path_ok(path, end))
		return image_reference_refuse(
			text,
			"it must be lower case letters and digits, with single . _ - / between", e);
	if (!image_reference_tag_ok(tag))
		return image_reference_refuse(text, "a tag is up to 128 letters, digits, _ . -", e);
	if ((size_t)(end - name) + 1 + strlen(tag) > NAME_MAX_BYTES)
		return image_reference_refuse(text, "it is longer than 255 bytes", e);
	*out = own_printf("%.*s:%s", (int)(end - name), name, tag);
	return 0;
}

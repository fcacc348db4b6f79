/*
 * keys_file - the file of a server's keys: read, locked and replaced.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/json_put.h"
#include "base/own.h"
#include "fs/document.h"
#include "fs/lock.h"
#include "fs/replaced_file.h"
#include "fs/trusted_path.h"
#include "tenant/keys.h"

#define WAIT_US 10000000 /* another command holds the lock for some milliseconds */

/* -- where it is ----------------------------------------------------------------------------- */

char *keys_file_default(struct err *e)
{
	const char *config = getenv("XDG_CONFIG_HOME");
	const char *home = getenv("HOME");

	if (geteuid() == 0)
		return own_strdup("/etc/glovebox/keys.json");
	if (config && *config == '/')
		return own_printf("%s/glovebox/keys.json", config);
	if (home && *home == '/')
		return own_printf("%s/.config/glovebox/keys.json", home);
	(void)err_input(e, "there is no place for keys of yours: give --keys, or set HOME");
	return NULL;
}

/* -- reading --------------------------------------------------------------------------------- */

struct keys_file_member {
	const char *name;
	int (*read)(const struct json *node, const struct ceiling *above, struct key *key,
		    struct err *e);
	bool optional;
};

static int keys_file_name(const struct json *node, const struct ceiling *above, struct key *key,
			  struct err *e)
{
	const char *text = json_string(node);

	(void)above;
	if (!text || !key_name_is_valid(text))
		return err_input(e, "it must be 1 to %d of a-z, 0-9 and -", KEY_NAME_MOST);
	snprintf(key->name, sizeof(key->name), "%s", text);
	return 0;
}

static int keys_file_hash(const struct json *node, const struct ceiling *above, struct key *key,
			  struct err *e)
{
	const char *text = json_string(node);

	(void)above;
	if (!text || strlen(text) != DIGEST_HEX - 1 ||
	    strspn(text, "0123456789abcdef") != DIGEST_HEX - 1)
		return err_input(e, "it must be %d digits of 0-9 and a-f", DIGEST_HEX - 1);
	memcpy(key->id, text, DIGEST_HEX);
	return 0;
}

/* Check the form only: people read the date, we do not use it. */
static int keys_file_created(const struct json *node, const struct ceiling *above, struct key *key,
			     struct err *e)
{
	static const char form[] = "dddd-dd-ddTdd:dd:ddZ";
	const char *text = json_string(node);
	size_t at = 0;

	(void)above;
	while (text && form[at] &&
	       (form[at] == 'd' ? text[at] >= '0' && text[at] <= '9' : text[at] == form[at]))
		at++;
	if (!text || form[at] || text[at])
		return err_input(e, "it must be a time such as 2026-11-24T00:00:00Z");
	snprintf(key->created, sizeof(key->created), "%s", text);
	return 0;
}

static int keys_file_operator(const struct json *node, const struct ceiling *above, struct key *key,
			      struct err *e)
{
	(void)above;
	key->is_operator = json_is_true(node);
	return json_is_bool(node) ? 0 : err_input(e, "it must be true or false");
}

static int keys_file_ceiling(const struct json *node, const struct ceiling *above, struct key *key,
			     struct err *e)
{
	auto_buf struct buf text = {0};

	json_write(node, &text);
	key->ceiling_text = buf_take(&text);
	ceiling_fini(&key->ceiling);
	return ceiling_read(node, above, &key->ceiling, e);
}

static const struct keys_file_member members[] = {
	{"name",     keys_file_name,     false},
        {"sha256",   keys_file_hash,     false},
	{"created",  keys_file_created,  false},
        {"operator", keys_file_operator, true },
	{"ceiling",  keys_file_ceiling,  true },
};

#define MEMBERS (sizeof(members) / sizeof(members[0]))

static int keys_file_check_known(const struct json *object, struct err *e)
{
	for (const struct json *n = json_first(object); n; n = json_next(n)) {
		size_t i = 0;

		while (i < MEMBERS && strcmp(members[i].name, json_key(n)) != 0)
			i++;
		if (i == MEMBERS)
			return err_input(e, "unknown member \"%.60s\"", json_key(n));
	}
	return 0;
}

static int keys_file_read_key(const struct json *node, const struct ceiling *above, struct key *key,
			      struct err *e)
{
	if (!json_is_object(node))
		return err_input(e, "it must be an object");
	for (size_t i = 0; i < MEMBERS; i++) {
		const struct json *member = json_get(node, members[i].name);

		if (!member && !members[i].optional)
			return err_input(e, "\"%s\" is missing", members[i].name);
		if (member && members[i].read(member, above, key, e))
			return err_prefix(e, "\"%s\"", members[i].name);
	}
	return keys_file_check_known(node, e);
}

/* Errors call the key by its name once it is known. */
static int keys_file_add(const struct json *node, const struct ceiling *above, struct keys *out,
			 struct err *e)
{
	struct key *key = own_zeroed(1, sizeof(*key));
	const struct key *twin;

	(void)ceiling_read(NULL, above, &key->ceiling, e);
	if (keys_file_read_key(node, above, key, e)) {
		if (*key->name)
			(void)err_prefix(e, "key \"%s\"", key->name);
		else
			(void)err_prefix(e, "key %zu", out->count + 1);
		key_free(key);
		return -1;
	}
	twin = keys_by_name(out, key->name);
	if (!twin)
		twin = keys_by_id(out, key->id);
	out->items = own_grow(out->items, out->count, sizeof(struct key *));
	out->items[out->count++] = key;
	return twin ? err_input(e, "key \"%s\" is there twice (\"%s\")", twin->name, key->name) : 0;
}

static int keys_file_read_all(const struct json *document, const struct ceiling *above,
			      struct keys *out, struct err *e)
{
	const struct json *list = json_get(document, "keys");

	if (!json_is_object(document) || !json_is_array(list) || json_count(document) != 1)
		return err_input(e, "it must be one object with an array \"keys\"");
	for (const struct json *n = json_first(list); n; n = json_next(n)) {
		if (keys_file_add(n, above, out, e))
			return -1;
	}
	return 0;
}

int keys_load(const char *path, const struct ceiling *above, struct keys *out, struct err *e)
{
	auto_json struct json *document = NULL;

	*out = (struct keys){0};
	document = document_read(path, e);
	if (!document && e->number == ENOENT)
		return err_set(e, ERR_NOT_FOUND, "there are no keys in %.300s", path);
	if (!document)
		return -1;
	return keys_file_read_all(document, above, out, e) ? err_prefix(e, "%.300s", path) : 0;
}

/* -- writing --------------------------------------------------------------------------------- */

static int keys_file_make_directory(const char *path, struct err *e)
{
	const char *slash = strrchr(path, '/');
	auto_free char *parent = slash ? own_strndup(path, (size_t)(slash - path)) : NULL;
	auto_fd int fd = parent && *parent
				 ? trusted_path_make(written_path(parent), LINKS_OF_SYSTEM, e)
				 : -1;

	return fd < 0 && parent && *parent ? -1 : 0;
}

int keys_file_lock(const char *path, bool make, struct err *e)
{
	auto_free char *lock = own_printf("%s.lock", path);
	auto_fd int fd = -1;

	if (make && keys_file_make_directory(path, e))
		return -1;
	fd = trusted_path_write(written_path(lock), LINKS_OF_SYSTEM, 0, 0600, e);
	if (fd < 0 || document_judge(fd, lock, S_IRWXG | S_IRWXO, e))
		return -1;
	if (!lock_within(fd, LOCK_EX, WAIT_US))
		return take_fd(&fd);
	if (errno == EWOULDBLOCK)
		return err_set(e, ERR_BUSY, "another command has locked %.300s", lock);
	return err_sys(e, "lock %.300s", lock);
}

static void keys_file_write(const struct keys *keys, struct buf *out)
{
	buf_text(out, "{\"keys\": [");
	for (size_t i = 0; i < keys->count; i++) {
		const struct key *key = keys->items[i];
		auto_buf struct buf line = {0};

		json_put_begin(&line, NULL, '{');
		json_put_text(&line, "name", key->name);
		json_put_text(&line, "sha256", key->id);
		json_put_text(&line, "created", key->created);
		if (key->is_operator)
			json_put_bool(&line, "operator", true);
		if (key->ceiling_text) {
			json_put_key(&line, "ceiling");
			buf_text(&line, key->ceiling_text);
		}
		json_put_end(&line, '}');
		buf_printf(out, "%s\n  %s", i ? "," : "", buf_string(&line));
	}
	buf_text(out, "\n]}\n");
}

int keys_file_save(const char *path, const struct keys *keys, struct err *e)
{
	auto_buf struct buf text = {0};
	struct replaced_file file;
	bool whole;

	keys_file_write(keys, &text);
	if (text.length > DOCUMENT_BYTES)
		return err_set(e, ERR_LIMIT, "too many keys for one file");
	if (replaced_file_open_durable(&file, written_path(path), e))
		return -1;
	whole = !io_write_all(file.fd, text.data, text.length);
	if (replaced_file_end(&file, whole) || !whole)
		return err_sys(e, "write %.300s", path);
	return 0;
}

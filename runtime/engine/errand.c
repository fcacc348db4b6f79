/*
 * errand - the words of a row of paths.c, filled in from a request.
 */
#include "engine/errand.h"

#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "engine/answer.h"
#include "engine/filters.h"
#include "engine/images_find.h"
#include "web/query.h"

void errand_fini(struct errand *o)
{
	list_fini(&o->words);
	record_fini(&o->found);
}

char *errand_reference(const struct request *r)
{
	auto_free char *repository = query_text(request_query(r), "repo");
	auto_free char *tag = query_text(request_query(r), "tag");

	return own_printf("%s%s%s", repository ? repository : "", tag && *tag ? ":" : "",
			  tag ? tag : "");
}

static bool errand_add_image(struct request *r, struct list *words)
{
	struct image image;

	if (!images_find(r, r->segments[0], &image))
		return false;
	list_add(words, image.reference);
	image_close(&image);
	return true;
}

/* A name that begins with a dash would be a flag. */
static bool errand_add_volume(struct request *r, struct list *words)
{
	const char *name = r->segments[0];

	if (!*name || *name == '-') {
		request_refuse(r, 404, "get %s: no such volume", name);
		return false;
	}
	list_add(words, name);
	return true;
}

static bool errand_add_filters(struct request *r, struct list *words)
{
	struct err e;

	if (!filters_words(request_query(r), words, &e))
		return true;
	answer_error(r, &e);
	return false;
}

/* @flag: what stands before the question mark at @mark. */
static bool errand_add_asked(struct request *r, const char *flag, const char *mark,
			     struct list *words)
{
	const char kind = mark[1] == '!' || mark[1] == '0' ? mark[1] : '\0';
	const char *name = mark + 1 + (kind != '\0');
	auto_free char *value = query_text(request_query(r), name);
	const bool has_value = value && *value && !(kind == '0' && !strcmp(value, "0"));
	const int length = (int)(mark - flag);

	if (!length && !has_value) {
		request_refuse(r, 400, "%s: a value is needed", name);
		return false;
	}
	if (!length || (mark[-1] == '=' && has_value))
		list_addf(words, "%.*s%s", length, flag, value);
	else if (mark[-1] != '=' &&
		 query_is_true(request_query(r), name, kind == '!') != (kind == '!'))
		list_addf(words, "%.*s", length, flag);
	return true;
}

static bool errand_add_grace(struct request *r, struct list *words)
{
	auto_free char *seconds = query_text(request_query(r), "t");

	if (seconds && *seconds)
		list_addf(words, "--time=%s", *seconds == '-' ? "86400" : seconds);
	return true;
}

static bool errand_add(struct request *r, const char *word, struct errand *o)
{
	const char *mark = strchr(word, '?');

	if (!strcmp(word, "CONTAINER")) {
		if (!answer_find(r, &o->found))
			return false;
		list_add(&o->words, o->found.id);
		return true;
	}
	if (!strcmp(word, "IMAGE"))
		return errand_add_image(r, &o->words);
	if (!strcmp(word, "VOLUME"))
		return errand_add_volume(r, &o->words);
	if (!strcmp(word, "?filters"))
		return errand_add_filters(r, &o->words);
	if (!strcmp(word, "?t"))
		return errand_add_grace(r, &o->words);
	if (mark)
		return errand_add_asked(r, word, mark, &o->words);
	list_add(&o->words, word);
	return true;
}

bool errand_fill(struct request *r, const char *row, struct errand *out)
{
	*out = (struct errand){.found.dir = -1};
	while (*row) {
		const size_t length = strcspn(row, " ");
		auto_free char *word = own_strndup(row, length);

		if (!errand_add(r, word, out))
			return false;
		row += length + (row[length] == ' ');
	}
	return true;
}

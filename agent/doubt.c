/*
 * doubt - find numbers and files in an answer that no execution produced.
 */
#include "agent/doubt.h"

#include <fcntl.h>

#include "agent/reply/named_files.h"
#include "base/own.h"
#include "fs/resolve.h"

void doubt_learn(struct numbers *n, const struct execution *x)
{
	auto_buf struct buf rest = {0};

	for (int i = 0; i < 2; i++)
		numbers_add(n, buf_string(&x->output[i]), x->output[i].length);
	buf_printf(&rest, "%s\n%s\n", x->value ? x->value : "", x->traceback ? x->traceback : "");
	for (size_t i = 0; i < x->file_count; i++)
		buf_printf(&rest, "%s %llu\n", x->files[i].path,
			   (unsigned long long)x->files[i].size);
	numbers_add(n, rest.data, rest.length);
}

/* Only these errors prove that the file is missing. */
static bool doubt_lacks(int output_fd, const char *name)
{
	auto_fd int fd = resolve_open(output_fd, name, O_PATH, RESOLVE_NO_WAY_OUT);

	return fd < 0 && (errno == ENOENT || errno == ENOTDIR);
}

void doubt_find(const struct numbers *known, int output_fd, const char *answer, struct doubt *out,
		struct task_result *result)
{
	auto_list struct list named = {0};

	numbers_find_unknown(known, answer, &out->numbers);
	named_files_find(answer, &named);
	for (size_t i = 0; i < named.count; i++) {
		if (doubt_lacks(output_fd, named.items[i]))
			list_add(&out->files, named.items[i]);
	}
	result->unknown_numbers = out->numbers.items;
	result->unknown_number_count = out->numbers.count;
	result->missing_files = (char *const *)out->files.items;
	result->missing_file_count = out->files.count;
}

void doubt_fini(struct doubt *d)
{
	unknown_numbers_fini(&d->numbers);
	list_fini(&d->files);
}

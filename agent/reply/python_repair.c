/*
 * python_repair - code as models write it, made into what Python accepts.
 */
#include "agent/reply/python_repair.h"

#include <stdint.h>

#include "agent/data/python_lexer.h"
#include "agent/data/text.h"

/* Move `at` from i to the beginning of the line at `end`. */
static void python_repair_pass_line(struct python_at *at, const char *text, size_t i, size_t end)
{
	while (i < end)
		i += python_step(at, text + i, end - i);
}

/* The length of the prompt at the beginning of the line, with the blank after it; 0: none. */
static size_t python_repair_prompt_length(const char *text, size_t i, size_t end, bool continuation)
{
	size_t start = i;

	if (text_begins(text + i, end - i, continuation ? "..." : ">>>")) {
		i += 3;
		if (i < end && !isspace((unsigned char)text[i]))
			return 0;
	} else if (!continuation && text_begins(text + i, end - i, "In [")) { /* IPython */
		i = text_pass(text, i + 4, end, "0123456789");
		if (!text_begins(text + i, end - i, "]:"))
			return 0;
		i += 2;
	} else {
		return 0;
	}
	return i + (i < end && text[i] == ' ') - start;
}

static bool python_repair_has_prompts(const char *text, size_t length)
{
	for (size_t i = 0; i < length; i = text_next_line(text, i, length)) {
		size_t end = text_next_line(text, i, length);
		size_t start = text_pass(text, i, end, " \t");

		if (python_repair_prompt_length(text, start, end, false))
			return true;
		if (start < end && text[start] != '\n' && text[start] != '#')
			return false;
	}
	return false;
}

/* If the first line has a prompt, only lines with one are input; the others are output. */
static void python_repair_prompts(const char *text, size_t length, struct buf *out)
{
	bool after_input = false;

	if (!python_repair_has_prompts(text, length)) {
		buf_add(out, text, length);
		return;
	}
	for (size_t i = 0; i < length; i = text_next_line(text, i, length)) {
		size_t end = text_next_line(text, i, length);
		size_t start = text_pass(text, i, end, " \t");
		size_t n = python_repair_prompt_length(text, start, end, false);

		if (!n && after_input)
			n = python_repair_prompt_length(text, start, end, true);
		after_input = n > 0;
		if (n)
			buf_add(out, text + start + n, end - start - n);
	}
}

enum line_kind { LINE_PYTHON, LINE_INSTALL, LINE_SHELL, LINE_MAGIC, LINE_OTHER_LANGUAGE };

/* The kind of a line on which a statement begins at i. */
static enum line_kind python_repair_kind_of_line(const char *text, size_t i, size_t end)
{
	size_t word = text_pass(text, i, end, "!%$ ");

	if (text_begins(text + word, end - word, "pip install"))
		return LINE_INSTALL;
	if (i + 1 >= end || !strchr("!%$", text[i]))
		return LINE_PYTHON;
	if (text_begins(text + i, end - i, "%%bash"))
		return LINE_OTHER_LANGUAGE;
	if (text[i] == '%' && (isalpha((unsigned char)text[i + 1]) || text[i + 1] == '%'))
		return LINE_MAGIC;
	return text[i] == '%' ? LINE_PYTHON : LINE_SHELL;
}

static void python_repair_shell(const struct buf *in, struct buf *out, struct python_repairs *done)
{
	const char *text = buf_string(in);
	struct python_at at = {0};

	for (size_t i = 0; i < in->length;) {
		size_t end = text_next_line(text, i, in->length);
		size_t start = text_pass(text, i, end, " \t");
		enum line_kind kind = LINE_PYTHON;

		if (python_at_statement(&at))
			kind = python_repair_kind_of_line(text, start, end);
		done->installs |= kind == LINE_INSTALL;
		done->shell |= kind == LINE_SHELL || kind == LINE_OTHER_LANGUAGE;
		if (kind == LINE_OTHER_LANGUAGE)
			return;
		if (kind == LINE_PYTHON) {
			buf_add(out, text + i, end - i);
			python_repair_pass_line(&at, text, i, end);
		} else if (start > i) { /* it may be the whole body of a block */
			buf_add(out, text + i, start - i);
			buf_text(out, "pass\n");
		}
		i = end;
	}
}

/* What may be removed from the lines from `i` on: the white space that begins all of them. */
static size_t python_repair_common_indent(const struct buf *in, size_t i, struct python_at at,
					  const char **first)
{
	const char *text = buf_string(in);
	size_t common = SIZE_MAX;

	*first = text;
	while (i < in->length) {
		size_t end = text_next_line(text, i, in->length);
		size_t start = text_pass(text, i, end, " \t");
		bool counts =
			python_at_statement(&at) && start < end && !strchr("\n#", text[start]);

		if (counts && common == SIZE_MAX) {
			*first = text + i;
			common = start - i;
		}
		for (size_t k = 0; counts && k < common; k++)
			if (k >= start - i || text[i + k] != (*first)[k])
				common = k;
		python_repair_pass_line(&at, text, i, end);
		i = end;
	}
	return common == SIZE_MAX ? 0 : common;
}

/*
 * The first statement may have lost the indentation that all the others have: if it opens no block,
 * the next one could not be indented otherwise. Returns where the others begin.
 */
static size_t python_repair_after_first(const struct buf *in, struct python_at *at)
{
	const char *text = buf_string(in);
	char last = '\0';
	size_t i = 0;

	while (i < in->length) {
		size_t end = text_next_line(text, i, in->length);

		for (size_t n; i < end; i += n) {
			bool code = python_in_code(at);

			n = python_step(at, text + i, end - i);
			if (code && python_in_code(at) && !isspace((unsigned char)text[i]))
				last = text[i];
		}
		if (last && python_at_statement(at))
			return last == ':' ? in->length : i;
	}
	return i;
}

static void python_repair_indent(const struct buf *in, struct buf *out)
{
	const char *text = buf_string(in);
	struct python_at at = {0};
	const char *indent = NULL;
	size_t common = python_repair_common_indent(in, 0, at, &indent);
	size_t i = 0;

	if (!common) {
		i = python_repair_after_first(in, &at);
		common = python_repair_common_indent(in, i, at, &indent);
		buf_add(out, text, i);
	}
	while (i < in->length) {
		size_t end = text_next_line(text, i, in->length);
		size_t cut = 0;

		while (cut < common && i + cut < end && text[i + cut] == indent[cut])
			cut++;
		buf_add(out, text + i + cut, end - i - cut);
		i = end;
	}
}

static void python_repair_trim_lines(const struct buf *in, struct buf *out)
{
	const char *text = buf_string(in);
	size_t start = 0;
	size_t end = in->length;

	for (size_t i = 0; i < in->length && isspace((unsigned char)text[i]); i++)
		if (text[i] == '\n')
			start = i + 1;
	while (end > start && isspace((unsigned char)text[end - 1]))
		end--;
	if (end == start)
		return;
	buf_add(out, text + start, end - start);
	buf_add(out, "\n", 1);
}

void python_repair(const char *code, size_t length, struct buf *out, struct python_repairs *done)
{
	auto_buf struct buf input = {0};
	auto_buf struct buf characters = {0};
	auto_buf struct buf lines = {0};
	auto_buf struct buf level = {0};

	python_repair_prompts(code, length, &input);
	python_repair_characters(&input, &characters);
	python_repair_shell(&characters, &lines, done);
	python_repair_indent(&lines, &level);
	python_repair_trim_lines(&level, out);
}

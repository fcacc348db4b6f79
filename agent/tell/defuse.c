/*
 * defuse - text of programs and files, made harmless for a model to read.
 */
#include "agent/tell/defuse.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>

#include "base/utf8.h"

/* Our own headings, as letters only. They count behind '[', '<' or '*' and at line starts. */
static const char *const headings[] = {
	"executionresult", "executionfeedback", "timeout",      "memorylimit",
	"finalanswer",     "crashed",           "cancelled",    "toolcalls",
	"toolresults",     "availabletools",    "systemprompt",
};

/* What chat templates are made of, behind '<', '[' or a fullwidth bar. */
static const char *const template_words[] = {
	"|",
	"\xef\xbd\x9c",
	"/|",
	"think",
	"/think",
	"tool_call",
	"/tool_call",
	"tool_resp",
	"/tool_resp",
	"tools>",
	"start_of_turn",
	"end_of_turn",
	"bos>",
	"eos>",
	"s>",
	"/s>",
	"<sys>>",
	"</sys>>",
	"inst]",
	"/inst]",
	"function=",
	"/function",
	"system>",
	"/system>",
	"function_call",
	"unused",
	"reserved_",
	"thinking",
	"begin_of_",
	"end_of_",
	"im_start",
	"im_end",
	"eot_id",
	"extra_id",
	"available_tools]",
};

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

bool defuse_is_invisible(uint32_t code)
{
	static const struct {
		uint32_t first;
		uint32_t last;
	} ranges[] = {
		{0x7f,    0x9f   },
                {0xad,    0xad   },
                {0x61c,   0x61c  },
                {0x115f,  0x1160 },
		{0x17b4,  0x17b5 },
                {0x180b,  0x180f },
                {0x200b,  0x200f },
                {0x2028,  0x202e },
		{0x2060,  0x206f },
                {0x3164,  0x3164 },
                {0xfe00,  0xfe0e },
                {0xfeff,  0xfeff },
		{0xffa0,  0xffa0 },
                {0xfff9,  0xfffb },
                {0xe0000, 0xe0fff},
	};

	for (size_t i = 0; i < COUNT_OF(ranges); i++)
		if (code >= ranges[i].first && code <= ranges[i].last)
			return true;
	return false;
}

/* "\x1b[31m" and "\x1b]0;title\x07": how long such a sequence is; 0 if it is none. */
static size_t escape_sequence(const unsigned char *p, size_t left)
{
	size_t i = 2;

	if (left < 3 || p[0] != 0x1b || (p[1] != '[' && p[1] != ']'))
		return 0;
	if (p[1] == '[') {
		while (i < left && i < 32 && p[i] >= 0x20 && p[i] <= 0x3f)
			i++;
		return i < left && p[i] >= 0x40 && p[i] <= 0x7e ? i + 1 : 0;
	}
	while (i < left && i < 256 && p[i] >= 0x20)
		i++;
	if (i < left && p[i] == '\a')
		return i + 1;
	return i + 1 < left && p[i] == 0x1b && p[i + 1] == '\\' ? i + 2 : 0;
}

static void put_code(const unsigned char *p, size_t n, uint32_t code, struct buf *out)
{
	if (code < 0x20 || code == 0x7f)
		buf_printf(out, "\\x%02x", code);
	else if (code == 0xfffd)
		buf_text(out, "\xef\xbf\xbd");
	else if (!defuse_is_invisible(code))
		buf_add(out, p, n);
	else if (code < 0x10000)
		buf_printf(out, "\\u%04x", code);
	else
		buf_printf(out, "\\U%08x", code);
}

/* First pass: everything that is there can be seen. */
static void make_visible(const unsigned char *p, size_t length, bool one_line, struct buf *out)
{
	size_t line = out->length;

	for (size_t i = 0, n; i < length; i += n) {
		uint32_t code;

		n = escape_sequence(p + i, length - i);
		if (n)
			continue;
		n = utf8_decode(p + i, length - i, &code);
		if (!one_line && code == '\r' && (i + 1 == length || p[i + 1] == '\n'))
			continue;
		if (!one_line && code == '\r' && out->length > line) { /* a progress bar */
			buf_cut(out, line);
		} else if (!one_line && (code == '\n' || code == '\t')) {
			buf_add(out, p + i, 1);
			line = code == '\n' ? out->length : line;
		} else if (one_line || code != '\r') {
			put_code(p + i, n, code, out);
		}
	}
}

/* Do the letters at p spell one of our headings, whatever stands between them? */
static bool is_heading(const char *p, size_t left)
{
	char letters[24];
	size_t n = 0;

	for (size_t i = 0; i < left && i < 48 && n < sizeof(letters) - 1; i++) {
		if (isalpha((unsigned char)p[i]))
			letters[n++] = (char)tolower((unsigned char)p[i]);
		else if (!strchr(" \t_-*[]/.:|", p[i]))
			break;
	}
	letters[n] = '\0';
	for (size_t i = 0; i < COUNT_OF(headings); i++)
		if (!strncmp(letters, headings[i], strlen(headings[i])))
			return true;
	return false;
}

static bool is_template(const char *p, size_t left)
{
	for (size_t i = 0; i < COUNT_OF(template_words); i++) {
		size_t n = strlen(template_words[i]);

		if (left >= n && !strncasecmp(p, template_words[i], n))
			return true;
	}
	return false;
}

/* Would this be read as a mark if no blank were put behind its first character? */
static bool is_mark(const char *p, size_t left)
{
	if (left > 1 && p[1] == ' ') /* that is what becomes of one */
		return false;
	if (*p == '[' || *p == '<')
		return is_heading(p + 1, left - 1) || is_template(p + 1, left - 1);
	if (*p == '`')
		return left >= 3 && p[1] == '`' && p[2] == '`';
	return *p == '*' && left > 2 && p[1] == '*' && is_heading(p + 2, left - 2);
}

/* Second pass: no mark is left. */
static void break_marks(const struct buf *in, struct buf *out)
{
	const char *text = buf_string(in);

	for (size_t i = 0; i < in->length; i++) {
		buf_add(out, text + i, 1);
		if (is_mark(text + i, in->length - i))
			buf_text(out, " ");
	}
}

void defuse(const void *bytes, size_t length, struct buf *out)
{
	auto_buf struct buf visible = {0};

	make_visible(bytes, length, false, &visible);
	break_marks(&visible, out);
}

void defuse_line(const void *bytes, size_t length, struct buf *out)
{
	auto_buf struct buf visible = {0};

	make_visible(bytes, length, true, &visible);
	break_marks(&visible, out);
}

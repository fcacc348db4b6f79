/*
 * egress_host - parse one host of a list.
 */
#include "netpolicy/egress_host.h"

#include <stdio.h>
#include <string.h>

#include "base/parse.h"

#define MAX_PORT 65535

/* -- what can never be reached ---------------------------------------------------------------- */

/* A name that means this machine at any address: only --allow-host reaches it. */
static int egress_host_refuse_local(const char *name, struct err *e)
{
	static const char *const local[] = {"localhost", "*.localhost", EGRESS_HOST_NAME,
					    EGRESS_DOCKER_NAME};
	const size_t length = strlen(name);
	bool is_local = length > 10 && !strcmp(name + length - 10, ".localhost");

	for (size_t i = 0; i < sizeof(local) / sizeof(local[0]); i++)
		is_local = is_local || !strcmp(name, local[i]);
	if (!is_local)
		return 0;
	return err_input(e, "%.100s is this machine: --allow-host PORT gives a port of it", name);
}

static struct address egress_host_last(const struct address *net, unsigned prefix)
{
	struct address last = *net;

	for (unsigned bit = prefix; bit < (net->is_v4 ? 32u : 128u); bit++)
		last.bytes[bit / 8] |= (uint8_t)(0x80u >> (bit % 8));
	return last;
}

/* Refuse a network only if one such block contains all of it; each address is judged on connect. */
static int egress_host_refuse_special(const struct egress_entry *entry, const char *text,
				      struct err *e)
{
	const struct address last = egress_host_last(&entry->net, entry->prefix);
	const char *what = address_what(&entry->net);

	if (address_kind(&entry->net) != ADDRESS_SPECIAL ||
	    address_kind(&last) != ADDRESS_SPECIAL || strcmp(what, address_what(&last)) != 0)
		return 0;
	return err_input(e, "%.100s is never reached: %s", text, what);
}

/* -- one host --------------------------------------------------------------------------------- */

static bool egress_host_is_ascii(const char *text)
{
	while (*text && !(*text & 0x80))
		text++;
	return !*text;
}

/* Refuse an entry, and name common mistakes. */
static int egress_host_refuse(const char *text, struct err *e)
{
	const char *star = strrchr(text, '*');

	if (strpbrk(text, " \t\r\n"))
		return err_input(e, "\"%.100s\" has a blank: separate hosts by commas alone", text);
	if (!egress_host_is_ascii(text))
		return err_input(e, "\"%.100s\": write the name as DNS has it, xn--...", text);
	if (star && (star != text || star[1] != '.' || !star[2]))
		return err_input(e, "\"%.100s\": * stands only in front, as in *.example.org",
				 text);
	if (*text == '[' && strstr(text, "]/"))
		return err_input(e, "\"%.100s\": the / goes inside the brackets: [2001:db8::/32]",
				 text);
	if (strchr(text, '/') && strspn(text, "0123456789./:") != strlen(text) && *text != '[')
		return err_input(e, "\"%.100s\" has a path: give its host alone, %.*s", text,
				 (int)strcspn(text, "/:") < 100 ? (int)strcspn(text, "/:") : 100,
				 text);
	return err_input(e,
			 "\"%.100s\" is neither a host name nor an address (four decimals; IPv6 "
			 "in brackets)",
			 text);
}

static bool egress_host_has_bits_behind(const struct address *net, unsigned prefix)
{
	for (unsigned bit = prefix; bit < (net->is_v4 ? 32u : 128u); bit++) {
		if (net->bytes[bit / 8] & (0x80u >> (bit % 8)))
			return true;
	}
	return false;
}

static int egress_host_refuse_bits(const struct egress_entry *entry, const char *text,
				   struct err *e)
{
	struct egress_rule wanted = egress_entry_rule(entry, NULL, 0);
	auto_buf struct buf host = {0};

	for (unsigned bit = entry->prefix; bit < (wanted.net.is_v4 ? 32u : 128u); bit++)
		wanted.net.bytes[bit / 8] &= (uint8_t) ~(0x80u >> (bit % 8));
	egress_write_host(&wanted, &host);
	return err_input(e, "%.100s has bits behind the first %u: write %s%.20s", text,
			 entry->prefix, buf_string(&host),
			 wanted.net.is_v4 ? text + strcspn(text, ":") : strchr(text, ']') + 1);
}

/* ADDRESS or ADDRESS/BITS; `text` is for errors. */
static int egress_host_net(char *words, bool v6, const char *text, struct egress_entry *out,
			   struct err *e)
{
	char *slash = strchr(words, '/');
	int64_t prefix;

	if (slash)
		*slash = '\0';
	if (address_parse(words, &out->net) || out->net.is_v4 == v6)
		return egress_host_refuse(text, e);
	prefix = v6 ? 128 : 32;
	if (slash && parse_int(slash + 1, 0, prefix, &prefix, e))
		return err_prefix(e, "bits of the network %.100s", text);
	out->prefix = (unsigned)prefix;
	if (egress_host_has_bits_behind(&out->net, out->prefix))
		return egress_host_refuse_bits(out, text, e);
	return egress_host_refuse_special(out, text, e);
}

/* @words: the host alone, `length` bytes, without brackets. */
static int egress_host_read(const char *words, size_t length, bool bracketed, const char *text,
			    struct egress_entry *out, struct err *e)
{
	char copy[EGRESS_MAX_ENTRY];
	struct address ignored;

	snprintf(copy, sizeof(copy), "%.*s", (int)length, words);
	if (bracketed || strchr(copy, '/') || !address_parse(copy, &ignored))
		return egress_host_net(copy, bracketed, text, out, e);
	if (host_name_pattern_canonical(copy, strlen(copy), out->name))
		return egress_host_refuse(text, e);
	return egress_host_refuse_local(out->name, e);
}

/* Parse the host in front; *rest is set to what follows it. */
static int egress_host_first(const char *text, const char **rest, struct egress_entry *out,
			     struct err *e)
{
	struct address ignored;
	size_t length;

	*out = (struct egress_entry){.kind = -1};
	if (strlen(text) >= EGRESS_MAX_ENTRY)
		return err_input(e, "\"%.60s...\" is too long for a host", text);
	if (strstr(text, "://"))
		return err_input(e, "%.100s is a URL: give its host alone", text);
	if (!address_parse(text, &ignored) && !ignored.is_v4)
		return err_input(e, "an IPv6 address stands in brackets: [%.60s]", text);
	if (*text != '[' && strstr(text, "::"))
		return err_input(e, "%.100s: a port is missing, or brackets of an IPv6 address",
				 text);
	if (*text != '[') {
		length = strcspn(text, ":");
		*rest = text + length;
		return egress_host_read(text, length, false, text, out, e);
	}
	length = strcspn(text, "]");
	if (!text[length])
		return err_input(e, "\"%.100s\" has no ] behind its address", text);
	*rest = text + length + 1;
	return egress_host_read(text + 1, length - 1, true, text, out, e);
}

int egress_host_parse(const char *text, struct egress_entry *out, struct err *e)
{
	const char *rest;

	if (egress_host_first(text, &rest, out, e))
		return -1;
	return *rest ? err_input(e, "\"%.100s\": a host without a port is wanted", text) : 0;
}

/* -- what is behind it ------------------------------------------------------------------------ */

static int egress_host_port(const char *words, size_t length, const char *text,
			    struct egress_entry *out, struct err *e)
{
	char number[24];
	int64_t port;

	snprintf(number, sizeof(number), "%.*s", (int)(length < 20 ? length : 20), words);
	if (parse_int(number, 1, MAX_PORT, &port, e))
		return err_prefix(e, "port of %.100s", text);
	if (port == EGRESS_DNS_PORT)
		return err_input(e, "%.100s: port %d is the sandbox's own resolver's", text,
				 EGRESS_DNS_PORT);
	out->port = (uint16_t)port;
	return 0;
}

static int egress_host_kind(const char *word, const char *text, struct egress_entry *out,
			    struct err *e)
{
	out->kind = egress_kind_of(word);
	if (out->kind < 0)
		return err_input(e, "\"%.40s\" of %.100s is none of tls, http, raw", word, text);
	if (!out->name[0] && out->kind != EGRESS_RAW)
		return err_input(e, "%.100s: an address has no name that %s could be held to: raw",
				 text, word);
	return 0;
}

int egress_entry_parse(const char *text, struct egress_entry *out, struct err *e)
{
	const char *rest;
	size_t length;

	if (!*text)
		return err_input(e, "an empty name between commas");
	if (egress_host_first(text, &rest, out, e))
		return -1;
	if (!*rest)
		return 0;
	if (*rest != ':')
		return egress_host_refuse(text, e);
	rest++;
	length = strcspn(rest, ":");
	if (egress_host_port(rest, length, text, out, e))
		return -1;
	return rest[length] ? egress_host_kind(rest + length + 1, text, out, e) : 0;
}

static enum egress_kind egress_host_default_kind(uint16_t port)
{
	if (port == 443 || port == 8443)
		return EGRESS_TLS;
	return port == 80 || port == 8080 ? EGRESS_HTTP : EGRESS_RAW;
}

struct egress_rule egress_entry_rule(const struct egress_entry *entry, const char *name,
				     uint16_t port)
{
	struct egress_rule rule = {.name = name, .port = port, .kind = EGRESS_RAW};

	if (!name) {
		rule.net = entry->net;
		rule.prefix = entry->prefix;
	} else {
		rule.kind = entry->kind >= 0 ? (enum egress_kind)entry->kind
					     : egress_host_default_kind(port);
	}
	return rule;
}

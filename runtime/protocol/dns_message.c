/*
 * dns_message - parse DNS queries of stub resolvers, and write the answers.
 */
#include "protocol/dns_message.h"

#include <string.h>

#define HEADER      12
#define QNAME_MAX   255
#define OPT_SIZE    11 /* without options */
#define DNSSEC_OK   0x8000
#define POINTER     0xc000 /* to a name earlier in the message */
#define SOA_SIZE    22     /* two empty names and five numbers */
#define SOA_REFRESH 3600

/* The second word of the header. */
enum {
	FLAG_QR = 0x8000,
	FLAG_OPCODE = 0x7800,
	FLAG_AA = 0x0400,
	FLAG_TC = 0x0200,
	FLAG_RD = 0x0100,
	FLAG_RA = 0x0080,
	FLAG_Z = 0x0040,
	FLAG_CD = 0x0010,
	FLAG_RCODE = 0x000f,
};

/* -- reading ---------------------------------------------------------------------------------- */

struct dns_message_in {
	const uint8_t *bytes;
	size_t size;
	size_t at;
};

static size_t dns_message_left(const struct dns_message_in *in)
{
	return in->size - in->at;
}

/* Take two bytes; the caller has checked that they are there. */
static uint16_t dns_message_word(struct dns_message_in *in)
{
	uint16_t value = (uint16_t)(in->bytes[in->at] << 8 | in->bytes[in->at + 1]);

	in->at += 2;
	return value;
}

/*
 * Copy a label as text. Returns false if it contains a dot, which text could not tell from a
 * separator.
 */
static bool dns_message_label(const uint8_t *label, size_t size, char *out)
{
	if (memchr(label, '.', size))
		return false;
	memcpy(out, label, size);
	out[size] = '.';
	return true;
}

/*
 * Read a name without compression. Returns 0, or -1 if malformed; *name is empty for a name that no
 * host can have.
 */
static int dns_message_name(struct dns_message_in *in, char name[HOST_NAME_SIZE])
{
	char text[QNAME_MAX];
	size_t length = 0;
	size_t start = in->at;
	bool is_text = true;

	name[0] = '\0';
	for (;;) {
		size_t label;

		if (!dns_message_left(in))
			return -1;
		label = in->bytes[in->at++];
		if (!label)
			break;
		/* At most 255 bytes: labels, and the byte that ends them. */
		if (label > HOST_LABEL_MAX || label > dns_message_left(in) ||
		    in->at + label - start >= QNAME_MAX)
			return -1;
		is_text = is_text && dns_message_label(in->bytes + in->at, label, text + length);
		in->at += label;
		length += label + 1;
	}
	if (is_text && length && host_name_canonical(text, length, name))
		name[0] = '\0';
	return 0;
}

static int dns_message_question(struct dns_message_in *in, struct dns_query *out)
{
	size_t start = in->at;

	if (dns_message_name(in, out->name) || dns_message_left(in) < 4)
		return -1;
	out->type = dns_message_word(in);
	out->class = dns_message_word(in);
	out->question_size = in->at - start;
	memcpy(out->question, in->bytes + start, out->question_size);
	return 0;
}

/* RFC 6891, 6.1.2: skip the options; their lengths must fit. */
static int dns_message_options(struct dns_message_in *in, size_t size)
{
	if (size != dns_message_left(in))
		return -1;
	while (dns_message_left(in)) {
		size_t length;

		if (dns_message_left(in) < 4)
			return -1;
		(void)dns_message_word(in);
		length = dns_message_word(in);
		if (length > dns_message_left(in))
			return -1;
		in->at += length;
	}
	return 0;
}

static int dns_message_edns(struct dns_message_in *in, struct dns_query *out)
{
	uint16_t size;
	uint16_t version;

	if (dns_message_left(in) < OPT_SIZE || in->bytes[in->at++] != 0 ||
	    dns_message_word(in) != DNS_TYPE_OPT)
		return -1;
	size = dns_message_word(in);
	version = dns_message_word(
		in); /* holds the upper bits of the status, which only answers use */
	if (version)
		return -1;
	out->has_edns = true;
	out->wants_dnssec = dns_message_word(in) & DNSSEC_OK;
	if (size > DNS_UDP_MIN)
		out->udp_size = size < DNS_UDP_MAX ? size : DNS_UDP_MAX;
	size = dns_message_word(in);
	return dns_message_options(in, size);
}

int dns_query_parse(const uint8_t *bytes, size_t size, struct dns_query *out)
{
	struct dns_message_in in = {bytes, size, 0};
	uint16_t counts[4];

	*out = (struct dns_query){.outcome = DNS_FORMERR, .udp_size = DNS_UDP_MIN};
	if (size < HEADER || size > DNS_TCP_MAX)
		return -1;
	out->id = dns_message_word(&in);
	out->flags = dns_message_word(&in);
	if (out->flags & FLAG_QR)
		return -1;
	out->has_id = true;
	if (out->flags & FLAG_OPCODE) {
		out->outcome = DNS_NOTIMP;
		return -1;
	}
	for (size_t i = 0; i < 4; i++)
		counts[i] = dns_message_word(&in);
	if (out->flags & (FLAG_AA | FLAG_TC | FLAG_RA | FLAG_Z | FLAG_RCODE))
		return -1;
	if (counts[0] != 1 || counts[1] || counts[2] || counts[3] > 1)
		return -1;
	if (dns_message_question(&in, out))
		return -1;
	if (counts[3] && dns_message_edns(&in, out))
		return -1;
	return dns_message_left(&in) ? -1 : 0;
}

/* -- writing ---------------------------------------------------------------------------------- */

/* Callers leave enough room: writing does not check. */
struct dns_message_out {
	uint8_t *bytes;
	size_t at;
};

static void dns_message_put(struct dns_message_out *out, const void *bytes, size_t size)
{
	memcpy(out->bytes + out->at, bytes, size);
	out->at += size;
}

static void dns_message_put_word(struct dns_message_out *out, unsigned value)
{
	const uint8_t bytes[2] = {(uint8_t)(value >> 8), (uint8_t)value};

	dns_message_put(out, bytes, 2);
}

static void dns_message_put_long(struct dns_message_out *out, uint32_t value)
{
	dns_message_put_word(out, value >> 16);
	dns_message_put_word(out, value & 0xffff);
}

/* Write a record up to its data; its owner is a name earlier in the message. */
static void dns_message_put_record(struct dns_message_out *out, size_t owner, unsigned type,
				   uint32_t ttl, size_t size)
{
	dns_message_put_word(out, POINTER | (unsigned)owner);
	dns_message_put_word(out, type);
	dns_message_put_word(out, DNS_CLASS_IN);
	dns_message_put_long(out, ttl);
	dns_message_put_word(out, (unsigned)size);
}

#define RECORD_SIZE 12 /* of that */

/* Write an SOA record for the zone of the name: all but its first label. */
static void dns_message_put_soa(struct dns_message_out *out, const struct dns_query *query,
				uint32_t ttl)
{
	size_t first = query->question[0] ? 1u + query->question[0] : 0;

	dns_message_put_record(out, HEADER + first, DNS_TYPE_SOA, ttl, SOA_SIZE);
	dns_message_put_word(out, 0);           /* two roots: no server, no mailbox */
	dns_message_put_long(out, 1);           /* serial */
	dns_message_put_long(out, SOA_REFRESH); /* and retry, expire */
	dns_message_put_long(out, SOA_REFRESH);
	dns_message_put_long(out, SOA_REFRESH);
	dns_message_put_long(out, ttl); /* seconds that a resolver caches an absence (RFC 2308) */
}

static void dns_message_put_edns(struct dns_message_out *out, const struct dns_query *query)
{
	const uint8_t root = 0;

	dns_message_put(out, &root, 1);
	dns_message_put_word(out, DNS_TYPE_OPT);
	dns_message_put_word(out, DNS_UDP_MAX);
	dns_message_put_word(out, 0);
	dns_message_put_word(out, query->wants_dnssec ? DNSSEC_OK : 0);
	dns_message_put_word(out, 0);
}

static bool dns_message_is_asked(const struct dns_query *query, const struct address *address)
{
	return query->type == (address->is_v4 ? DNS_TYPE_A : DNS_TYPE_AAAA);
}

static size_t dns_message_data_size(const struct address *address)
{
	return address->is_v4 ? 4 : 16;
}

static unsigned dns_message_rcode(enum dns_outcome outcome)
{
	switch (outcome) {
	case DNS_ADDRESSES:
	case DNS_NODATA:
		return 0;
	case DNS_FORMERR:
		return 1;
	case DNS_SERVFAIL:
		return 2;
	case DNS_NXDOMAIN:
		return 3;
	case DNS_NOTIMP:
		return 4;
	case DNS_REFUSED:
		return 5;
	}
	return 2;
}

/* Write the header, and the question if the query had one. */
static void dns_message_begin(struct dns_message_out *out, const struct dns_query *query,
			      unsigned flags, size_t answers, bool has_soa)
{
	dns_message_put_word(out, query->id);
	dns_message_put_word(out, FLAG_QR | FLAG_RA | (query->flags & (FLAG_RD | FLAG_CD)) | flags);
	dns_message_put_word(out, query->question_size ? 1 : 0);
	dns_message_put_word(out, (unsigned)answers);
	dns_message_put_word(out, has_soa);
	dns_message_put_word(out, query->has_edns);
	dns_message_put(out, query->question, query->question_size);
}

size_t dns_answer(const struct dns_query *query, enum dns_outcome outcome,
		  const struct address *addresses, size_t count, uint32_t ttl, uint8_t *out,
		  size_t room)
{
	const size_t least = HEADER + query->question_size + (query->has_edns ? OPT_SIZE : 0);
	struct dns_message_out to = {.at = 0};
	unsigned flags = dns_message_rcode(outcome);
	size_t answers = 0;
	size_t more = 0;
	bool has_soa;

	to.bytes = out;
	for (size_t i = 0; outcome == DNS_ADDRESSES && i < count; i++) {
		if (!dns_message_is_asked(query, &addresses[i]))
			continue;
		answers++;
		more += RECORD_SIZE + dns_message_data_size(&addresses[i]);
	}
	has_soa = query->question_size && (outcome == DNS_NXDOMAIN || outcome == DNS_NODATA ||
					   (outcome == DNS_ADDRESSES && !answers));
	if (has_soa)
		more = RECORD_SIZE + SOA_SIZE;
	if (room < least)
		return 0;
	if (room - least < more) {
		flags |= FLAG_TC;
		answers = 0;
		has_soa = false;
	}
	dns_message_begin(&to, query, flags, answers, has_soa);
	for (size_t i = 0; answers && i < count; i++) {
		size_t size = dns_message_data_size(&addresses[i]);

		if (!dns_message_is_asked(query, &addresses[i]))
			continue;
		dns_message_put_record(&to, HEADER, query->type, ttl, size);
		dns_message_put(&to, addresses[i].bytes, size);
	}
	if (has_soa)
		dns_message_put_soa(&to, query, ttl);
	if (query->has_edns)
		dns_message_put_edns(&to, query);
	return to.at;
}

/*
 * ca - --ca FILE: certificate authorities that a sandbox trusts besides its image's.
 */
#include "spec/ca.h"

#include <fcntl.h>
#include <string.h>

#include "base/io.h"
#include "netpolicy/egress_preset.h"
#include "spec/run_settings.h"

#define BEGIN        "-----BEGIN "
#define END          "-----END "
#define CERTIFICATE  "CERTIFICATE-----"
#define PRIVATE      "PRIVATE KEY-----"
#define BASE64       "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/="
#define DER_SEQUENCE 'M' /* Base64 of 0x30, with which every certificate begins (X.690) */

static bool ca_is_word(const char *line, const char *word)
{
	return !strncmp(line, word, strlen(word));
}

/*
 * Return what follows the lines of one certificate; NULL if they are not one (RFC 7468, the lax
 * form: lines may have any length).
 */
static const char *ca_skip_certificate(const char *line)
{
	const char *p = line + strlen(BEGIN CERTIFICATE);

	p += strspn(p, " \t\r\n");
	if (*p != DER_SEQUENCE)
		return NULL;
	p += strspn(p, BASE64 " \t\r\n");
	return ca_is_word(p, END CERTIFICATE) ? p + strlen(END CERTIFICATE) : NULL;
}

int ca_check(const char *text, const char *name, struct err *e)
{
	unsigned count = 0;
	const char *p = text;

	while ((p = strstr(p, BEGIN))) {
		size_t line = strcspn(p, "\r\n");

		if (memmem(p, line, PRIVATE, strlen(PRIVATE)))
			return err_input(e,
					 "%.200s holds a private key, which no sandbox may see: "
					 "give the certificates alone",
					 name);
		p = ca_is_word(p, BEGIN CERTIFICATE) ? ca_skip_certificate(p) : NULL;
		count++;
		if (!p)
			return err_input(e, "block %u of %.200s is not a certificate (PEM)", count,
					 name);
	}
	if (!count)
		return err_input(
			e, "%.200s holds no certificate (PEM: -----BEGIN CERTIFICATE-----)", name);
	return 0;
}

int ca_flag(void *spec, const char *value, struct err *e)
{
	struct sandbox_spec *s = spec;
	auto_buf struct buf text = {0};

	s->ca = NULL;
	if (!strcmp(value, "none"))
		return 0;
	if (io_read_file(AT_FDCWD, value, CA_MAX_BYTES, &text, e))
		return -1;
	if (memchr(buf_string(&text), '\0', text.length))
		return err_input(e, "%.200s is not text (PEM)", value);
	if (ca_check(buf_string(&text), value, e))
		return -1;
	s->ca = spec_strdup(s, buf_string(&text));
	return 0;
}

int ca_finish(struct sandbox_spec *s, struct err *e)
{
	struct egress_preset file;
	int found;
	int status;

	if (setting_given(run_settings, s->given, "ca"))
		return 0;
	found = egress_preset_read_own(CA_FILE, &file, e);
	if (found)
		return found < 0 ? -1 : 0;
	status = ca_check(buf_string(&file.text), file.path, e);
	if (!status)
		s->ca = spec_strdup(s, buf_string(&file.text));
	buf_fini(&file.text);
	return status;
}

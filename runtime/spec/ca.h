/*
 * ca - --ca FILE: certificate authorities that a sandbox trusts besides its image's.
 *
 * Reads the file that the flag names, once; or ca.pem in a directory of lists.
 */
#ifndef GLOVEBOX_SPEC_CA_H
#define GLOVEBOX_SPEC_CA_H

#include "base/err.h"
#include "spec/spec.h"

#define CA_FILE      "ca.pem"   /* a list cannot have this name */
#define CA_MAX_BYTES (1u << 20) /* four times a distribution's whole bundle */

/* The row's parser. @value: the path of a bundle (PEM), or "none". @spec: a struct sandbox_spec. */
int ca_flag(void *spec, const char *value, struct err *e);

/*
 * ca_finish - without the flag, ca.pem holds for a sandbox that has a list.
 * Errors: ERR_INPUT: the file is invalid; the text names it; ERR_SYSTEM.
 */
int ca_finish(struct sandbox_spec *s, struct err *e);

/*
 * ca_check - whether a text is a bundle of certificates: at least one, every block whole and
 * nothing but certificates. Text between blocks is ignored. Pure.
 * @name  for the message. Errors: ERR_INPUT, also for a private key, which the sandbox could read.
 */
int ca_check(const char *text, const char *name, struct err *e);

#endif

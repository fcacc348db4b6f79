/*
 * ca - --ca FILE: certificate authorities that a sandbox trusts besides its image's.
 *
 * Reads the file that the flag names, once; or ca.pem in a directory of lists.
 */
#ifndef GLOVEBOX_SPEC_CA_H
#define GLOVEBOX_SPEC_CA_H

#include "base/err.h"
#include "spec/spec.h"

#define CA_FILE      "ca.pem"   /* no list can have this name */
#define CA_MAX_BYTES (1u << 20) /* a distribution's whole bundle has a quarter of it */

/*
 * The row's own parser takes the path of a bundle (PEM), or "none". @spec is a struct
 * sandbox_spec.
 */
int ca_flag(void *spec, const char *value, struct err *e);

/*
 * ca_finish - where a sandbox has a list and nobody gave the flag, the file decides.
 * Errors: ERR_INPUT: a file that is wrong, which is named; ERR_SYSTEM.
 */
int ca_finish(struct sandbox_spec *s, struct err *e);

/*
 * ca_check - whether a text is a bundle of certificates: at least one, every block whole and
 * nothing but certificates. What is between blocks is comment. Pure.
 * @name  for the message. Errors: ERR_INPUT, also for a private key, which would be given away.
 */
int ca_check(const char *text, const char *name, struct err *e);

#endif

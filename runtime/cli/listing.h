/*
 * listing - shared by commands that list: a table for people, --json for programs.
 *
 * Runs: client. Needs: nothing.
 */
#ifndef GLOVEBOX_CLI_LISTING_H
#define GLOVEBOX_CLI_LISTING_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "spec/setting.h"

#define LISTING_NAME_WIDTH 24

extern const struct setting listing_settings[]; /* --json */

/*
 * listing_read - read --json at any position.
 * @argv  rearranged: its operands follow argv[0]. Returns the new argc, or -1.
 */
int listing_read(int argc, char **argv, bool *json, struct err *e);

#define LISTING_BYTES 24

/* "1.5 MiB"; UINT64_MAX: "-". Returns out. */
const char *listing_bytes(uint64_t bytes, char out[LISTING_BYTES]);

/* Print a duration in one unit: "4s", "3m", "2h", "5d". */
void listing_print_age(uint64_t ms, int width);

#endif

/*
 * about - GET /v1: what a program finds here.
 *
 * Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_SERVE_ABOUT_H
#define GLOVEBOX_SERVE_ABOUT_H

#include "serve/http.h"

/* The version of this server, its image, and the packages that the image's Python has. */
void about_run(struct request *r);

#endif

#!/bin/sh
# cause - say in one word why apt could not fetch: its messages are on standard input.
#
# fetch_cause.c knows what to do about each word. Messages of apt 2.2 to 3.1, in English.
set -eu
said=$(cat)

says() {
	printf '%s\n' "$said" | grep -qE "$1"
}

if says 'is expired \(invalid since'; then
	echo expired
elif says 'is not valid yet \(invalid for'; then
	echo early
elif says 'Could not (resolve|connect)|Temporary failure resolving' ||
	says 'Unable to connect|Connection (failed|timed out)'; then
	echo unreachable
elif says 'does not have a Release file'; then
	echo missing
elif says 'NO_PUBKEY|Missing key|is not signed|[Nn]o keyring|No good signature'; then
	echo unsigned
fi

#!/bin/sh
# cause - say in one word why apt or pip could not fetch: its messages are on standard input.
#
# A second line names the package, if it is known; "$*" are those that were asked for of pip.
# fetch_cause.c knows what to do about each word. Messages of apt 2.2 to 3.1 and pip, in English.
set -eu
said=$(cat)

says() {
	printf '%s\n' "$said" | grep -qE "$1"
}

# The first thing that one of these messages names.
named() {
	printf '%s\n' "$said" | sed -nE "s/.*$1.*/\\1/p" | head -n 1
}

if [ $# -gt 0 ]; then
	package=$(named "No matching distribution found for (.*)")
	if says 'glovebox: pip wants to start a program'; then
		echo pip-source
	elif says 'CERTIFICATE_VERIFY_FAILED'; then
		echo pip-certificate
	elif says 'connection broken by|Max retries exceeded|Read timed out|HTTP error [45]'; then
		echo pip-unreachable
	elif [ -n "$package" ]; then
		echo pip-missing
	elif says 'ResolutionImpossible|conflicting dependencies'; then
		echo pip-conflict
	else
		echo pip
	fi
	printf '%s\n' "${package:-$*}"
elif says 'Unable to locate package|has no installation candidate|Version .* was not found'; then
	echo package
	named "(Unable to locate package [^ ]+|Package '[^']+|Version .* for '[^']+)" | sed "s/.*[' ]//"
elif says 'is expired \(invalid since'; then
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

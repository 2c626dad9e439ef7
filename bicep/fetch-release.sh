#!/usr/bin/env bash
# Downloads the package of a release instead of building it: dist/functions.zip, as its SHA256SUMS lists it. The templates
# must be those of the same release, so the version is that of package.json in the current directory.
#
#   bash bicep/fetch-release.sh <https address of the folder with the files of the release>
set -euo pipefail

url=${1:?"the address of the folder with functions-<version>.zip and SHA256SUMS"}
version=$(jq --raw-output .version package.json)
file=functions-$version.zip
mkdir -p dist
for name in "$file" SHA256SUMS; do
  curl --fail --silent --show-error --location --proto '=https' --retry 3 --max-time 300 --output "dist/$name" "${url%/}/$name"
done
cd dist
# Exactly one line, or a list without the package would pass the check.
grep --fixed-strings "  $file" SHA256SUMS | sha256sum --check --strict
mv "$file" functions.zip
rm SHA256SUMS

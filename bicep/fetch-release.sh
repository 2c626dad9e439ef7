#!/usr/bin/env bash
# Downloads the package of a release instead of building it, and proves that it is the publisher's: dist/functions.zip. The
# templates must be those of the same release, so the version is that of package.json in the current directory.
#
#   bash bicep/fetch-release.sh <https address of the folder with the files of the release>
#
# A list of checksums from the same address proves nothing, so one of these does:
#
# RELEASE_SHA256      the digest of functions-<version>.zip, which you were given in another way than the package
# RELEASE_REPOSITORY  <owner>/<repository> on GitHub whose workflow release.yml has attested it, by default that of an address
#                     on github.com. Requires gh, signed in or with GH_TOKEN.
set -euo pipefail

url=${1:?"the address of the folder with functions-<version>.zip"}
url=${url%/}
version=$(jq --raw-output .version package.json)
file=functions-$version.zip
repository=${RELEASE_REPOSITORY:-}
if [ -z "$repository" ] && [[ $url =~ ^https://github\.com/([A-Za-z0-9._-]+/[A-Za-z0-9._-]+)/releases/download/ ]]; then
  repository=${BASH_REMATCH[1]}
fi
digest=${RELEASE_SHA256:-}
if [ -z "$digest" ] && [ -z "$repository" ]; then
  echo "Nothing proves whose package this is: set RELEASE_SHA256 to its digest, or RELEASE_REPOSITORY to the repository that attested it." >&2
  exit 1
fi
if [ -n "$digest" ] && [[ ! $digest =~ ^[0-9a-fA-F]{64}$ ]]; then
  echo "RELEASE_SHA256: a SHA-256 digest has 64 hexadecimal digits" >&2
  exit 1
fi

mkdir -p dist
# What was not proved, here or in a run before, is not there to be deployed.
trap 'rm -f "dist/$file"' EXIT
rm -f dist/functions.zip
curl --fail --silent --show-error --location --proto '=https' --retry 3 --max-time 300 --output "dist/$file" "$url/$file"
if [ -n "$digest" ]; then
  (cd dist && sha256sum --check --strict <<<"${digest,,}  $file")
else
  # The tag, or an older release under this name would pass.
  gh attestation verify "dist/$file" --repo "$repository" --signer-workflow "$repository/.github/workflows/release.yml" \
    --source-ref "refs/tags/v$version" --deny-self-hosted-runners
fi
mv "dist/$file" dist/functions.zip

# wget, which follows links and makes no markdown: sh wget.sh ORIGIN
command -v wget >/dev/null && [ -x /usr/bin/time ] || { echo '{ "missing": true }'; exit; }
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
/usr/bin/time -o "$folder/time" -f '%U %S %M' \
  wget --quiet --recursive --level=inf --directory-prefix="$folder/site" "$1/"
pages=$(find "$folder/site" -name '*.html' | wc -l)
# The last line: wget's status comes before it when it is not 0, as for a page that is not there.
tail -n 1 "$folder/time" | awk -v pages="$pages" \
  '{ printf "{\"pages\":%d,\"cpu\":%d,\"memory\":%.1f}\n", pages, 1000 * ($1 + $2), $3 / 1024 }'

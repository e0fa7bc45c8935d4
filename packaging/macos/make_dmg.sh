#!/bin/sh
# Makes DL Advisor.app of the folder that PyInstaller made, and a DMG of that.
#   packaging/macos/make_dmg.sh DIST/dl-advisor OUT
# SIGN_AS="Developer ID Application: ..." signs it; without, it is signed ad hoc.
set -eu
source=$1
out=$2
root=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)
version=$(cat "$root/resources/VERSION")
app="$out/DL Advisor.app"

rm -rf -- "$app"
mkdir -p "$app/Contents/MacOS" "$app/Contents/Resources"
cp -R -- "$source/." "$app/Contents/MacOS/"
sed "s/@VERSION@/$version/" "$root/packaging/macos/Info.plist.in" > "$app/Contents/Info.plist"
plutil -lint "$app/Contents/Info.plist"

icons=$(mktemp -d)/dl-advisor.iconset
mkdir -p "$icons"
for size in 16 32 128 256 512; do
    sips -s format png -z "$size" "$size" "$root/resources/icons/dl-advisor.svg" \
        --out "$icons/icon_${size}x${size}.png"
done
iconutil -c icns -o "$app/Contents/Resources/dl-advisor.icns" "$icons"

codesign --force --deep --options runtime --sign "${SIGN_AS:--}" "$app"
codesign --verify --deep --strict "$app"
hdiutil create -volname "DL Advisor" -srcfolder "$app" -ov -format ULMO \
    "$out/dl-advisor-$version-macos-$(uname -m).dmg"

#!/bin/sh
# Installs DL Advisor for this user, from the folder in which this script lies; no root needed.
#   ./install.sh             into ~/.local
#   ./install.sh --uninstall removes it again; results and settings stay
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
data=${XDG_DATA_HOME:-$HOME/.local/share}
place=$HOME/.local/lib/dl-advisor
programs=$HOME/.local/bin

refresh() {
    for tool in "update-desktop-database $data/applications" "update-mime-database $data/mime"; do
        # shellcheck disable=SC2086 # a command and its folder
        command -v "${tool%% *}" >/dev/null 2>&1 && "${tool%% *}" "${tool#* }" >/dev/null 2>&1
    done
    true
}

uninstall() {
    rm -rf -- "$place"
    rm -f -- "$programs/dl-advisor" "$programs/dl-advisor-gui" \
        "$data/applications/dl-advisor.desktop" "$data/mime/packages/dl-advisor.xml" \
        "$data/icons/hicolor/scalable/apps/dl-advisor.svg" \
        "$data/icons/hicolor/"*/apps/dl-advisor.png \
        "$data/metainfo/invalid.dl_advisor.dl_advisor.metainfo.xml" "$data/man/man1/dl-advisor.1"
}

if [ "${1:-}" = --uninstall ]; then
    uninstall
    refresh
    # Without a package there is nothing in it but what was made of ours.
    rmdir -- "$data/mime/packages" 2>/dev/null && rm -rf -- "$data/mime"
    # So it is with the index of programs, where there is none.
    find "$data/applications" -name '*.desktop' 2>/dev/null | grep -q . ||
        rm -f -- "$data/applications/mimeinfo.cache"
    echo "DL Advisor is removed; your results and settings are where they were."
    exit 0
fi
if [ ! -d "$here/dl-advisor" ]; then
    echo "install.sh: start it in the folder that was unpacked; here it can only --uninstall" >&2
    exit 2
fi
uninstall
mkdir -p "$place" "$programs" "$data/applications" "$data/mime/packages" "$data/man/man1" \
    "$data/icons/hicolor/scalable/apps" "$data/metainfo"
cp -R -- "$here/dl-advisor/." "$place/"
cp -- "$0" "$place/install.sh"
for name in dl-advisor dl-advisor-gui; do
    ln -s -- "$place/$name" "$programs/$name"
done
# A desktop does not always look into ~/.local/bin: it gets the whole path.
quoted=$(printf '%s' "$place/dl-advisor-gui" | sed 's/[\\&|]/\\&/g')
sed -e "s|^Exec=.*|Exec=\"$quoted\" %f|" -e "s|^TryExec=.*|TryExec=$quoted|" \
    "$here/share/dl-advisor.desktop" > "$data/applications/dl-advisor.desktop"
cp -- "$here/share/dl-advisor.svg" "$data/icons/hicolor/scalable/apps/"
cp -R -- "$here/share/icons/." "$data/icons/hicolor/"
cp -- "$here/share/dl-advisor-mime.xml" "$data/mime/packages/dl-advisor.xml"
cp -- "$here/share/invalid.dl_advisor.dl_advisor.metainfo.xml" "$data/metainfo/"
cp -- "$here/share/dl-advisor.1" "$data/man/man1/"
refresh
echo "DL Advisor is in your menu; in a terminal it is $programs/dl-advisor"

#!/bin/sh
# Models stay, when settings are purged too.
if [ -d /run/systemd/system ]; then
	systemctl daemon-reload || :
fi
case "$1" in
remove | purge | 0)
	if [ -d /var/lib/chaff ]; then
		echo "The models of chaff and what it was taught are still in /var/lib/chaff."
	fi
	;;
esac

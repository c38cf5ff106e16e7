#!/bin/sh
# Makes the user of the daemon and its folder. After an upgrade, a running daemon starts anew: clients wait at its sockets.
set -e
if command -v systemd-sysusers >/dev/null; then
	systemd-sysusers chaff.conf
	install -d -o chaff -g chaff -m 700 /var/lib/chaff
fi
if [ -d /run/systemd/system ]; then
	systemctl daemon-reload
	systemctl try-restart chaff.service
fi

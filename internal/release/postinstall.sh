#!/bin/sh
# Makes the user of the daemon and its folder. After an upgrade, a running daemon starts anew: clients wait at its sockets. One that could not start
# before, such as one without a model, does not keep the package from being installed.
set -e
if command -v systemd-sysusers >/dev/null; then
	systemd-sysusers chaff.conf
	install -d -o chaff -g chaff -m 700 /var/lib/chaff
fi
if [ -d /run/systemd/system ]; then
	systemctl daemon-reload
	systemctl try-restart chaff.service || echo "The daemon of chaff does not start: chaff doctor -m /var/lib/chaff/model says what to do."
fi

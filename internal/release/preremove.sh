#!/bin/sh
# Stops the daemon when the package goes, and not when another version follows. Debian says remove, and Red Hat 0.
case "$1" in
remove | 0)
	if [ -d /run/systemd/system ]; then
		systemctl disable --quiet chaff@.socket chaff-retrain.timer || :
		systemctl stop 'chaff@*.socket' chaff.service chaff-retrain.timer chaff-retrain.service || :
	fi
	;;
esac

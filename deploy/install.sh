#!/bin/sh
# Installs or upgrades Poolbench on Debian 12 or newer: PostgreSQL, Redis, nginx with TLS, systemd.
#
#   deploy/install.sh HOST                  as root, from a checkout; again after `git pull`
#   deploy/install.sh HOST --files FOLDER   only writes the configuration, below FOLDER
#
# What is there stays: /etc/poolbench/env, the certificate, the database, the data.
set -eu
HOST=${1:?usage: deploy/install.sh HOST [--files FOLDER]}
ROOT=
[ "${2:-}" = --files ] && ROOT=${3:?a folder}
HERE=$(cd "$(dirname "$0")" && pwd)
ETC=$ROOT/etc/poolbench
umask 022

make_secret() { openssl rand -hex 24; }

write_env() {
    [ -e "$ETC/env" ] && return
    (umask 027 && cat >"$ETC/env") <<END
# The settings of Poolbench; docs/deployment.md explains them. Read by systemd and by sh: single
# quotes around values with spaces or signs.
POOLBENCH_VAR=/var/lib/poolbench
POOLBENCH_HOSTS=$HOST
POOLBENCH_ORIGINS=https://$HOST
POOLBENCH_TLS=1
POOLBENCH_PROXIES=1
POOLBENCH_LOG_FORMAT=json
DATABASE_URL=postgres://poolbench:$(make_secret)@127.0.0.1:5432/poolbench
CELERY_BROKER_URL=redis://127.0.0.1:6379/0
CACHE_URL=redis://127.0.0.1:6379/1
END
}

make_certificate() {
    [ -e "$ETC/tls/cert.pem" ] && return
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 365 -subj "/CN=$HOST" \
        -addext "subjectAltName=DNS:$HOST" -keyout "$ETC/tls/key.pem" -out "$ETC/tls/cert.pem"
    chmod 600 "$ETC/tls/key.pem"
}

write_files() {
    mkdir -p "$ETC/tls" "$ROOT/opt/poolbench/deploy" "$ROOT/etc/systemd/system" \
        "$ROOT/etc/nginx/sites-available" "$ROOT/etc/nginx/sites-enabled" "$ROOT/usr/local/bin"
    write_env
    make_certificate
    cp "$HERE/gunicorn.conf.py" "$ROOT/opt/poolbench/deploy/"
    cp "$HERE"/systemd/* "$ROOT/etc/systemd/system/"
    sed "s/bench\.example\.org/$HOST/g" "$HERE/nginx-site.conf" \
        >"$ROOT/etc/nginx/sites-available/poolbench"
    ln -sf ../sites-available/poolbench "$ROOT/etc/nginx/sites-enabled/poolbench"
    # The command with the settings of the services, as their user.
    cat >"$ROOT/usr/local/bin/poolbench" <<'END'
#!/bin/sh
set -eua
. /etc/poolbench/env
cd /var/lib/poolbench
exec setpriv --reuid=poolbench --regid=poolbench --init-groups /opt/poolbench/venv/bin/poolbench "$@"
END
    chmod 755 "$ROOT/usr/local/bin/poolbench"
}

install_packages() {
    export DEBIAN_FRONTEND=noninteractive
    apt-get update -qq
    apt-get install -y -qq nginx-light openssl postgresql python3-venv redis-server util-linux >/dev/null
    id poolbench >/dev/null 2>&1 ||
        useradd --system --user-group --home-dir /var/lib/poolbench --shell /usr/sbin/nologin poolbench
    install -d -o poolbench -g poolbench -m 750 /var/lib/poolbench /var/lib/poolbench/backups
    [ -x /opt/poolbench/venv/bin/python ] || python3 -m venv /opt/poolbench/venv
    /opt/poolbench/venv/bin/pip install -q --disable-pip-version-check --upgrade \
        -c "$HERE/../constraints.txt" "$HERE/..[server,postgres,redis,s3,parquet]"
}

make_database() {
    password=$(sed -n 's|^DATABASE_URL=postgres://poolbench:\([^@]*\)@127.0.0.1:5432/poolbench$|\1|p' "$ETC/env")
    [ -n "$password" ] || return 0  # the operator's own
    # By standard input: arguments are for all to see.
    runuser -u postgres -- psql -q -v ON_ERROR_STOP=1 <<END
SELECT 'CREATE ROLE poolbench LOGIN PASSWORD ''$password''' WHERE NOT EXISTS
    (SELECT FROM pg_roles WHERE rolname = 'poolbench') \gexec
SELECT 'CREATE DATABASE poolbench OWNER poolbench' WHERE NOT EXISTS
    (SELECT FROM pg_database WHERE datname = 'poolbench') \gexec
END
}

start_services() {
    systemctl daemon-reload
    systemctl enable -q --now redis-server nginx poolbench-tick.timer poolbench-night.timer
    systemctl enable -q poolbench-web poolbench-worker poolbench-long
    systemctl restart poolbench-web poolbench-worker poolbench-long
    nginx -t -q && systemctl reload nginx
}

if [ -n "$ROOT" ]; then
    write_files
    exit
fi
systemctl -q is-active poolbench-web && poolbench backup /var/lib/poolbench/backups
install_packages
write_files
make_database
poolbench manage migrate -v 0
start_services
systemctl start poolbench-tick poolbench-night
poolbench doctor || true
echo "https://$HOST/ is up. The first organizer: poolbench manage make_organizer NAME"

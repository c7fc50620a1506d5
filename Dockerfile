# Earshot as a container: `docker build -t earshot .`, on x86-64 or arm64. Runs as a user without rights, on one volume.
# How to start it, what to set and what the container's walls cost: scripts/deploy/README.md.

FROM debian:bookworm-slim AS build
# The packages that scripts/setup.mjs asks for, so that a change of the source does not install them anew.
RUN apt-get update \
 && apt-get install -y --no-install-recommends \
      ca-certificates nodejs npm g++ make cmake binutils ffmpeg python3 \
 && rm -rf /var/lib/apt/lists/*
WORKDIR /build
COPY . .
# Both of the x86-64 binaries carry the fast whisper worker and choose at run time; the baseline one starts on every CPU.
RUN npm run release \
 && mkdir -p /out \
 && mv "$(ls dist/earshot-linux-* | tail -n 1)" /out/earshot \
 && mv dist/tools /out/tools

FROM debian:bookworm-slim
# With --build-arg CHROMIUM=1: a browser for the keyword search of short videos, which nothing else needs. Without one, what
# ffmpeg's packages bring along only to draw on screens goes (170 MB).
ARG CHROMIUM=0
RUN apt-get update \
 && apt-get install -y --no-install-recommends ca-certificates ffmpeg python3 tini \
 && if [ "$CHROMIUM" = 1 ]; then apt-get install -y --no-install-recommends chromium; \
    else rm -rf /usr/lib/*/libLLVM-*.so* /usr/lib/*/libz3.so* /usr/lib/*/dri; fi \
 && rm -rf /var/lib/apt/lists/*
RUN useradd --uid 10001 --user-group --home-dir /data --no-create-home --shell /usr/sbin/nologin earshot \
 && install -d -o earshot -g earshot -m 0700 /data /data/models
COPY --from=build /out /opt/earshot
RUN ln -s /opt/earshot/earshot /usr/local/bin/earshot
ENV EARSHOT_DATA=/data \
    EARSHOT_HOST=0.0.0.0 \
    EARSHOT_PORT=8787 \
    EARSHOT_LOG=json
USER earshot
WORKDIR /data
VOLUME ["/data"]
EXPOSE 8787
# Answers 200 whenever the process can answer; which parts are degraded is in the body of /v1/health.
HEALTHCHECK --interval=30s --timeout=10s --start-period=30s --retries=3 CMD ["earshot", "health"]
# tini reaps what programs of programs leave behind; a stop takes at most ten seconds.
ENTRYPOINT ["tini", "--", "earshot"]
CMD ["serve"]

// The whisper worker: a warm child process that holds one model and turns windows of speech into timed text.
// It speaks the frames of src/engines/frames.ts on stdin and stdout; nothing else may be written to stdout.
// Requests run one after the other on the main thread, a second thread reads, so that a cancel gets through.

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#ifdef __linux__
#include <csignal>
#include <sys/prctl.h>
#endif

#include "json.hpp"
#include "whisper.h"

using nlohmann::json;

namespace {

constexpr uint32_t MAX_HEADER_BYTES = 4u << 20;
constexpr uint32_t MAX_PAYLOAD_BYTES = 64u << 20;
constexpr int64_t NO_REQUEST = -1;
// whisper.cpp counts time in hundredths of a second.
constexpr int64_t MS_PER_TICK = 10;

struct Frame {
    json header;
    std::vector<uint8_t> payload;
};

/** Requests in order of arrival; the reading thread fills it and marks what is cancelled. */
struct Inbox {
    std::mutex mutex;
    std::condition_variable changed;
    std::deque<Frame> requests;
    bool ended = false;
    std::atomic<int64_t> current{NO_REQUEST};
    std::atomic<bool> cancelled{false};
};

Inbox inbox;

void write_frame(const json & header) {
    // Invalid UTF-8 would end the conversation: it becomes U+FFFD instead.
    const std::string text = header.dump(-1, ' ', false, json::error_handler_t::replace);
    const uint32_t lengths[2] = { (uint32_t) text.size(), 0 };
    fwrite(lengths, sizeof lengths, 1, stdout);
    fwrite(text.data(), 1, text.size(), stdout);
    if (fflush(stdout) != 0) std::_Exit(0);
}

bool read_exactly(void * target, size_t bytes) {
    return bytes == 0 || fread(target, 1, bytes, stdin) == bytes;
}

/** False at the end of stdin. A frame that makes no sense ends the process: nothing after it can be trusted. */
bool read_frame(Frame & frame) {
    uint32_t lengths[2];
    if (!read_exactly(lengths, sizeof lengths)) return false;
    if (lengths[0] > MAX_HEADER_BYTES || lengths[1] > MAX_PAYLOAD_BYTES) throw std::runtime_error("frame too large");
    std::string text(lengths[0], '\0');
    frame.payload.resize(lengths[1]);
    if (!read_exactly(text.data(), text.size()) || !read_exactly(frame.payload.data(), lengths[1])) return false;
    frame.header = json::parse(text);
    return true;
}

void cancel(int64_t id) {
    const std::lock_guard<std::mutex> lock(inbox.mutex);
    if (inbox.current == id) inbox.cancelled = true;
    for (Frame & waiting : inbox.requests) {
        if (waiting.header.value("id", NO_REQUEST) == id) waiting.header["cancelled"] = true;
    }
}

void read_requests() {
    try {
        Frame frame;
        while (read_frame(frame)) {
            if (frame.header.value("op", "") == "cancel") {
                cancel(frame.header.value("id", NO_REQUEST));
                continue;
            }
            const std::lock_guard<std::mutex> lock(inbox.mutex);
            inbox.requests.push_back(std::move(frame));
            frame = Frame{};
            inbox.changed.notify_one();
        }
    } catch (const std::exception & error) {
        fprintf(stderr, "whisper-worker: unreadable frame: %s\n", error.what());
        std::_Exit(2);
    }
    const std::lock_guard<std::mutex> lock(inbox.mutex);
    inbox.ended = true;
    inbox.cancelled = true;
    inbox.changed.notify_one();
}

/** Whether `text` ends inside a UTF-8 character, as a token of a byte-level vocabulary may. */
bool ends_inside_character(const std::string & text) {
    for (size_t back = 1; back <= 3 && back <= text.size(); back++) {
        const unsigned char byte = text[text.size() - back];
        if ((byte & 0xC0) == 0x80) continue;
        const size_t needed = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1;
        return needed > back;
    }
    return false;
}

/**
 * Everything that transcribing a window changes, the random numbers that whisper.cpp draws tokens with included. A new
 * one for each window: its text then depends on nothing but its audio, and is the same again after a crash.
 */
using State = std::unique_ptr<whisper_state, decltype(&whisper_free_state)>;

/** Text tokens of a segment with their times, joined only as far as whole characters need it. */
json token_pieces(whisper_context * ctx, whisper_state * state, int segment) {
    json pieces = json::array();
    std::string text;
    int64_t start = 0;
    float probability = 1;
    for (int i = 0; i < whisper_full_n_tokens_from_state(state, segment); i++) {
        const whisper_token_data token = whisper_full_get_token_data_from_state(state, segment, i);
        if (token.id >= whisper_token_eot(ctx)) continue;
        if (text.empty()) {
            start = token.t0;
            probability = 1;
        }
        text += whisper_full_get_token_text_from_state(ctx, state, segment, i);
        probability = std::min(probability, token.p);
        if (text.empty() || ends_inside_character(text)) continue;
        pieces.push_back({ text, start * MS_PER_TICK, token.t1 * MS_PER_TICK, probability });
        text.clear();
    }
    return pieces;
}

/** `words`: also the pieces of each segment, as [text, start, end, probability]. Times in ms from the window's start. */
json segments_of(whisper_context * ctx, whisper_state * state, bool words) {
    json segments = json::array();
    for (int i = 0; i < whisper_full_n_segments_from_state(state); i++) {
        json segment = {
            { "start", whisper_full_get_segment_t0_from_state(state, i) * MS_PER_TICK },
            { "end", whisper_full_get_segment_t1_from_state(state, i) * MS_PER_TICK },
            { "text", whisper_full_get_segment_text_from_state(state, i) },
            { "noSpeech", whisper_full_get_segment_no_speech_prob_from_state(state, i) },
        };
        if (words) segment["pieces"] = token_pieces(ctx, state, i);
        segments.push_back(std::move(segment));
    }
    return segments;
}

std::vector<float> samples_of(const std::vector<uint8_t> & payload) {
    std::vector<float> samples(payload.size() / 2);
    for (size_t i = 0; i < samples.size(); i++) {
        samples[i] = (int16_t) (payload[2 * i] | payload[2 * i + 1] << 8) / 32768.0f;
    }
    return samples;
}

whisper_full_params parameters_of(const json & header) {
    const int beam = header.value("beam", 0);
    whisper_full_params params =
        whisper_full_default_params(beam > 1 ? WHISPER_SAMPLING_BEAM_SEARCH : WHISPER_SAMPLING_GREEDY);
    if (beam > 1) params.beam_search.beam_size = beam;
    // How many are drawn at each temperature above zero; the beam search's own default is one.
    params.greedy.best_of = header.value("bestOf", 5);
    params.n_threads = header.value("threads", 1);
    params.print_progress = params.print_realtime = params.print_timestamps = params.print_special = false;
    // Windows are cut at pauses and may follow each other after long gaps; context also feeds loops.
    params.no_context = true;
    params.token_timestamps = header.value("words", false);
    params.translate = header.value("translate", false);
    params.temperature = header.value("temperature", params.temperature);
    params.temperature_inc = header.value("temperatureInc", params.temperature_inc);
    params.entropy_thold = header.value("entropyThreshold", params.entropy_thold);
    params.logprob_thold = header.value("logprobThreshold", params.logprob_thold);
    params.no_speech_thold = header.value("noSpeechThreshold", params.no_speech_thold);
    params.abort_callback = [](void *) { return inbox.cancelled.load(); };
    params.encoder_begin_callback = [](whisper_context *, whisper_state *, void *) { return !inbox.cancelled.load(); };
    return params;
}

json transcribe(whisper_context * ctx, const Frame & request) {
    whisper_full_params params = parameters_of(request.header);
    const std::string language = whisper_is_multilingual(ctx) ? request.header.value("language", "auto") : "en";
    if (language != "auto" && whisper_lang_id(language.c_str()) < 0) {
        return { { "event", "error" }, { "message", "the model does not know the language \"" + language + "\"" } };
    }
    params.language = language.c_str();
    // Its last tokens only: whisper.cpp keeps half of the text context for them.
    const std::string prompt = request.header.value("prompt", "");
    params.initial_prompt = prompt.empty() ? nullptr : prompt.c_str();
    const std::vector<float> samples = samples_of(request.payload);
    const State state(whisper_init_state(ctx), whisper_free_state);
    if (!state) {
        // Most likely memory that is short now.
        return { { "event", "error" }, { "message", "whisper.cpp could not prepare" }, { "temporary", true } };
    }
    const int code = whisper_full_with_state(ctx, state.get(), params, samples.data(), (int) samples.size());
    if (inbox.cancelled) return { { "event", "error" }, { "message", "cancelled" }, { "cancelled", true } };
    if (code != 0) {
        return { { "event", "error" }, { "message", "whisper.cpp failed with code " + std::to_string(code) } };
    }
    return {
        { "event", "result" },
        { "language", whisper_lang_str(whisper_full_lang_id_from_state(state.get())) },
        { "segments", segments_of(ctx, state.get(), params.token_timestamps) },
    };
}

json answer(whisper_context * ctx, const Frame & request) {
    try {
        if (inbox.cancelled) return { { "event", "error" }, { "message", "cancelled" }, { "cancelled", true } };
        const std::string op = request.header.value("op", "");
        if (op == "transcribe") return transcribe(ctx, request);
        return { { "event", "error" }, { "message", "there is no operation \"" + op + "\"" } };
    } catch (const std::exception & error) {
        return { { "event", "error" }, { "message", error.what() } };
    }
}

/** Waits for the next request and makes it the current one. False when there will be none. */
bool next_request(Frame & request) {
    std::unique_lock<std::mutex> lock(inbox.mutex);
    inbox.changed.wait(lock, [] { return inbox.ended || !inbox.requests.empty(); });
    if (inbox.ended) return false;
    request = std::move(inbox.requests.front());
    inbox.requests.pop_front();
    inbox.current = request.header.value("id", NO_REQUEST);
    inbox.cancelled = request.header.value("cancelled", false);
    return true;
}

} // namespace

int main(int argc, char ** argv) {
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    if (argc != 2) {
        fprintf(stderr, "usage: whisper-worker MODEL\n");
        return 64;
    }
    // Only what explains a failure: warnings and errors.
    whisper_log_set(
        [](ggml_log_level level, const char * text, void *) {
            if (level == GGML_LOG_LEVEL_ERROR || level == GGML_LOG_LEVEL_WARN) fputs(text, stderr);
        },
        nullptr);
    whisper_context_params context_params = whisper_context_default_params();
    context_params.use_gpu = false;
    whisper_context * ctx = whisper_init_from_file_with_params_no_state(argv[1], context_params);
    if (!ctx) {
        fprintf(stderr, "whisper-worker: %s is not a model that whisper.cpp can read\n", argv[1]);
        return 3;
    }
    write_frame({ { "event", "ready" }, { "multilingual", whisper_is_multilingual(ctx) != 0 } });
    std::thread(read_requests).detach();
    Frame request;
    while (next_request(request)) {
        json reply = answer(ctx, request);
        reply["id"] = request.header.value("id", NO_REQUEST);
        inbox.current = NO_REQUEST;
        write_frame(reply);
    }
    // The reading thread may still sit in stdin: no destructors.
    std::_Exit(0);
}

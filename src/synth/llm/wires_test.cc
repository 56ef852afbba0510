#include <gtest/gtest.h>

#include <array>

#include <fmt/format.h>

#include "synth/llm/wire.h"

namespace ka::llm {
namespace {

ChatRequest question() {
  ChatRequest request;
  request.model = "m";
  request.messages = {{Role::system, "be brief"}, {Role::user, "one"}, {Role::assistant, "two"}, {Role::user, "three \"x\"\n"}};
  request.effort = "high";
  request.temperature = 1.1;
  request.max_output_tokens = 5000;
  request.samples = 2;
  return request;
}

Model row(EffortForm effort, bool temperature) {
  Model model;
  model.name = "m";
  model.output_tokens = 4000;
  model.effort = effort;
  model.temperature = temperature;
  return model;
}

struct RequestCase {
  const char* name;
  const Wire* wire;
  Model model;
  const char* base;
  const char* path;
  const char* body;
};

TEST(Wires, RequestsAreWrittenLikeThis) {
  const RequestCase rows[] = {
      {"responses, thinks", &kOpenAiResponses, row(EffortForm::word, false), "https://api.openai.com/v1", "/responses",
       R"({"input":[{"content":"one","role":"user"},{"content":"two","role":"assistant"},{"content":"three \"x\"\n","role":"user"}],"instructions":"be brief",)"
           R"("max_output_tokens":4000,)"
       R"("model":"m","reasoning":{"effort":"high"},"store":false,"stream":true})"},
      {"responses, plain", &kOpenAiResponses, row(EffortForm::none, true), "https://api.openai.com/v1", "/responses",
       R"({"input":[{"content":"one","role":"user"},{"content":"two","role":"assistant"},{"content":"three \"x\"\n","role":"user"}],"instructions":"be brief",)"
           R"("max_output_tokens":4000,)"
       R"("model":"m","store":false,"stream":true,"temperature":1.1})"},
      {"chat, thinks", &kOpenAiChat, row(EffortForm::word, false), "http://h/v1", "/chat/completions",
       R"({"max_completion_tokens":4000,"messages":[{"content":"be brief","role":"system"},{"content":"one","role":"user"},{"content":"two","role":"assistant"},)"
       R"({"content":"three \"x\"\n","role":"user"}],"model":"m","n":2,"reasoning_effort":"high","stream":true,"stream_options":{"include_usage":true}})"},
      {"chat, plain", &kOpenAiChat, row(EffortForm::none, true), "http://h/v1", "/chat/completions",
       R"({"max_tokens":4000,"messages":[{"content":"be brief","role":"system"},{"content":"one","role":"user"},{"content":"two","role":"assistant"},)"
       R"({"content":"three \"x\"\n","role":"user"}],"model":"m","n":2,"stream":true,"stream_options":{"include_usage":true},"temperature":1.1})"},
      {"anthropic, adaptive", &kAnthropic, row(EffortForm::adaptive, true), "https://h", "/v1/messages",
       R"({"max_tokens":4000,"messages":[{"content":"one","role":"user"},{"content":"two","role":"assistant"},{"content":"three \"x\"\n","role":"user"}],"model":"m",)"
       R"("output_config":{"effort":"high"},"stream":true,"system":"be brief","thinking":{"type":"adaptive"}})"},
      {"anthropic, budget", &kAnthropic, row(EffortForm::budget, true), "https://h", "/v1/messages",
       R"({"max_tokens":4000,"messages":[{"content":"one","role":"user"},{"content":"two","role":"assistant"},{"content":"three \"x\"\n","role":"user"}],"model":"m",)"
       R"("stream":true,"system":"be brief","thinking":{"budget_tokens":2000,"type":"enabled"}})"},
      {"anthropic, plain", &kAnthropic, row(EffortForm::none, true), "https://h", "/v1/messages",
       R"({"max_tokens":4000,"messages":[{"content":"one","role":"user"},{"content":"two","role":"assistant"},{"content":"three \"x\"\n","role":"user"}],"model":"m",)"
       R"("stream":true,"system":"be brief","temperature":1.0})"},
      {"relay", &kRelay, row(EffortForm::none, true), "http://h", "/",
       R"({"max_tokens":4000,"messages":[{"content":"be brief","role":"system"},{"content":"one","role":"user"},{"content":"two","role":"assistant"},)"
       R"({"content":"three \"x\"\n","role":"user"}],"model":"m","n":2,"reasoning":{"effort":"high"},"temperature":1.1,"top_p":1})"},
  };
  for (const RequestCase& each : rows) {
    const WireRequest written = each.wire->request(question(), each.model, {Provider::openai, each.base, "sk-word", "OPENAI_API_KEY"});
    EXPECT_EQ(written.path, each.path) << each.name;
    EXPECT_EQ(written.body, each.body) << each.name;
  }
}

TEST(Wires, TheSmallestQuestion) {
  ChatRequest request;
  request.messages = {{Role::user, "hi"}};
  Model model;
  model.name = "m";
  const Server server{Provider::openai, "http://h/v1", "", ""};
  EXPECT_EQ(kOpenAiResponses.request(request, model, server).body, R"({"input":[{"content":"hi","role":"user"}],"model":"m","store":false,"stream":true})");
  EXPECT_EQ(kOpenAiChat.request(request, model, server).body, R"({"messages":[{"content":"hi","role":"user"}],"model":"m","stream":true,"stream_options":{"include_usage":true}})");
  EXPECT_EQ(kAnthropic.request(request, model, server).body, R"({"max_tokens":8192,"messages":[{"content":"hi","role":"user"}],"model":"m","stream":true})");
  EXPECT_EQ(kRelay.request(request, model, server).body, R"({"max_tokens":8192,"messages":[{"content":"hi","role":"user"}],"model":"m","n":1,"temperature":0.7,"top_p":1})");
}

TEST(Wires, TheAnswerFitsBesideTheQuestion) {
  struct Case {
    std::size_t bytes;
    std::int64_t asked, context, output, limit;
  };
  for (const Case& each : {Case{300, 0, 0, 0, 0}, Case{300, 500, 0, 0, 500}, Case{300, 0, 0, 700, 700}, Case{300, 900, 0, 700, 700}, Case{300, 0, 10000, 5000, 5000},
      Case{24000, 0, 10000, 5000, 1984},
                           Case{60000, 0, 10000, 5000, 1024}, Case{60000, 100, 10000, 5000, 100}}) {
    ChatRequest request;
    request.messages = {{Role::user, std::string(each.bytes, 'x')}};
    request.max_output_tokens = each.asked;
    Model model;
    model.context_tokens = each.context;
    model.output_tokens = each.output;
    EXPECT_EQ(output_limit(request, model), each.limit) << each.bytes << " " << each.asked;
  }
}

TEST(Wires, KeysAreHeadersAndNothingElse) {
  for (const Wire* wire : all_wires()) {
    const WireRequest with = wire->request(question(), row(EffortForm::none, true), {Provider::openai, "http://h", "sk-canary-word", "K"});
    const WireRequest without = wire->request(question(), row(EffortForm::none, true), {Provider::openai, "http://h", "", ""});
    EXPECT_EQ(with.body, without.body) << wire->name;
    EXPECT_EQ(with.path, without.path) << wire->name;
    EXPECT_EQ(with.headers.size(), without.headers.size() + (wire == &kRelay ? 0 : 1)) << wire->name;
  }
}

struct ReplyCase {
  const char* name;
  const Wire* wire;
  int samples;
  std::string stream;
  std::vector<Answer> answers;
  Usage usage;
  const char* id;
};

const std::string kChatStream =
    ": OPENROUTER PROCESSING\n\n"
    R"(data: {"id":"c1","object":"chat.completion.chunk","model":"m-1","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}],"usage":null})" "\n\n"
    R"(data: {"id":"c1","model":"m-1","choices":[{"index":1,"delta":{"content":"Gr\u00fc"},"finish_reason":null}]})" "\n\n"
    R"(data: {"id":"c1","model":"m-1","choices":[{"index":0,"delta":{"content":"a\nb"},"finish_reason":null}]})" "\n\n"
    R"(data: {"id":"c1","model":"m-1","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]})" "\n\n"
    R"(data: {"id":"c1","model":"m-1","choices":[{"index":1,"delta":{"content":"ße"},"finish_reason":"length"}]})" "\n\n"
    R"(data: {"id":"c1","model":"m-1","choices":[],"usage":{"prompt_tokens":9,"completion_tokens":12,"prompt_tokens_details":{"cached_tokens":4},)"
        R"("completion_tokens_details":{"reasoning_tokens":3}}})" "\n\n"
    "data: [DONE]\n\n";
const std::string kResponsesStream =
    "event: response.created\r\n" R"(data: {"type":"response.created","response":{"id":"r1","status":"in_progress","model":"m-1","error":null,"usage":null}})" "\r\n\r\n"
    "event: response.reasoning_summary_text.delta\r\n" R"(data: {"type":"response.reasoning_summary_text.delta","delta":"I think"})" "\r\n\r\n"
    "event: response.output_text.delta\r\n" R"(data: {"type":"response.output_text.delta","delta":"Hel","logprobs":[]})" "\r\n\r\n"
    "event: response.output_text.delta\r\n" R"(data: {"type":"response.output_text.delta","delta":"lo"})" "\r\n\r\n"
    "event: response.incomplete\r\n"
    R"(data: {"type":"response.incomplete","response":{"id":"r1","status":"incomplete","model":"m-1","error":null,"incomplete_details":{"reason":"max_output_tokens"},)"
    R"("output":[{"type":"message","content":[{"type":"output_text","text":"Hello"}]}],"usage":{"input_tokens":5,"input_tokens_details":{"cached_tokens":2},"output_tokens":7,)"
        R"("output_tokens_details":{"reasoning_tokens":6}}}})" "\r\n\r\n";
const std::string kAnthropicStream =
    "event: message_start\n" R"(data: {"type":"message_start","message":{"id":"a1","type":"message","role":"assistant","model":"m-1","content":[],"usage":{"input_tokens":10,)"
        R"("cache_creation_input_tokens":3,"cache_read_input_tokens":7,"output_tokens":1}}})" "\n\n"
    "event: content_block_start\n" R"(data: {"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}})" "\n\n"
    "event: content_block_delta\n" R"(data: {"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"secret"}})" "\n\n"
    "event: content_block_start\n" R"(data: {"type":"content_block_start","index":1,"content_block":{"type":"text","text":""}})" "\n\n"
    "event: ping\n" R"(data: {"type":"ping"})" "\n\n"
    "event: content_block_delta\n" R"(data: {"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"one "}})" "\n\n"
    "event: content_block_start\n" R"(data: {"type":"content_block_start","index":2,"content_block":{"type":"text","text":"two "}})" "\n\n"
    "event: content_block_delta\n" R"(data: {"type":"content_block_delta","index":2,"delta":{"type":"text_delta","text":"\ud83d\ude00"}})" "\n\n"
    "event: message_delta\n" R"(data: {"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null},"usage":{"output_tokens":25}})" "\n\n"
    "event: message_stop\n" R"(data: {"type":"message_stop"})" "\n\n";

const ReplyCase kReplies[] = {
    {"chat stream", &kOpenAiChat, 2, kChatStream, {{"a\nb", Finish::complete}, {"Grüße", Finish::truncated}}, {9, 4, 12, 3, 0}, "c1"},
    {"responses stream", &kOpenAiResponses, 1, kResponsesStream, {{"Hello", Finish::truncated}}, {5, 2, 7, 6, 0}, "r1"},
    {"anthropic stream", &kAnthropic, 1, kAnthropicStream, {{"one two \U0001f600", Finish::complete}}, {20, 7, 25, 0, 0}, "a1"},
    {"chat document", &kOpenAiChat, 1, R"( {"id":"c2","model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"hi","refusal":null},"finish_reason":"stop"}],)"
        R"("usage":{"prompt_tokens":1,"completion_tokens":2}})",
     {{"hi", Finish::complete}}, {1, 0, 2, 0, 0}, "c2"},
    {"chat refusal", &kOpenAiChat, 1, R"({"id":"c3","choices":[{"index":0,"message":{"content":null,"refusal":"I will not"},"finish_reason":"stop"}]})", {{"I will not",
        Finish::refused}}, {}, "c3"},
    {"responses document", &kOpenAiResponses, 1,
     R"({"id":"r2","status":"completed","error":null,"output":[{"type":"reasoning","summary":[]},{"type":"message","content":[{"type":"output_text","text":"a"},)"
         R"({"type":"output_text","text":"b"}]}],"usage":{"input_tokens":1,"output_tokens":2}})",
     {{"ab", Finish::complete}}, {1, 0, 2, 0, 0}, "r2"},
    {"anthropic document", &kAnthropic, 1,
     R"({"id":"a2","type":"message","content":[{"type":"thinking","thinking":"no"},{"type":"text","text":"a"},{"type":"text","text":"b"}],"stop_reason":"max_tokens",)"
         R"("usage":{"input_tokens":1,"output_tokens":2}})",
     {{"ab", Finish::truncated}}, {1, 0, 2, 0, 0}, "a2"},
    {"relay", &kRelay, 2, R"([{"output":"one","plugboard_request_id":"p1"},{"output":"","plugboard_request_id":"p2"}])", {{"one", Finish::complete}, {"", Finish::complete}},
        {}, "p2"},
    {"relay, one object", &kRelay, 1, R"({"output":"one"})", {{"one", Finish::complete}}, {}, ""},
    {"relay like chat", &kRelay, 1, R"({"id":"c4","choices":[{"message":{"content":"hi"},"finish_reason":"length"}],"usage":{"prompt_tokens":1,"completion_tokens":2}})",
        {{"hi", Finish::truncated}}, {1, 0, 2, 0, 0}, "c4"},
};

struct ReadOutcome {
  Status status = ok();
  Reply reply;
  std::string streamed;
};

ReadOutcome read_reply(const ReplyCase& row, std::initializer_list<std::string_view> pieces) {
  ReadOutcome out;
  const std::unique_ptr<ReplyReader> reader = row.wire->reader(row.samples, [&](std::string_view text) { out.streamed += text; });
  for (const std::string_view piece : pieces)
    if (out.status) out.status = reader->feed(piece);
  if (out.status) out.status = reader->finish();
  out.reply = reader->reply();
  return out;
}

TEST(Wires, RepliesAreReadHoweverTheyAreCut) {
  for (const ReplyCase& row : kReplies) {
    const std::string_view text = row.stream;
    for (std::size_t at = 0; at <= text.size(); ++at) {
      const ReadOutcome got = read_reply(row, {text.substr(0, at), text.substr(at)});
      ASSERT_TRUE(got.status) << row.name << " at " << at << ": " << got.status.error().message;
      ASSERT_EQ(got.reply.answers, row.answers) << row.name << " at " << at;
      ASSERT_EQ(got.reply.usage, row.usage) << row.name << " at " << at;
      ASSERT_EQ(got.reply.id, row.id) << row.name;
      ASSERT_EQ(got.streamed, row.answers[0].text) << row.name;
    }
  }
}

// A stream that ends early is an error, or it had all of its answers already.
TEST(Wires, ATornReplyIsNeverTakenForAWholeOne) {
  for (const ReplyCase& row : kReplies) {
    for (std::size_t at = 0; at < row.stream.size(); ++at) {
      const ReadOutcome got = read_reply(row, {std::string_view(row.stream).substr(0, at)});
      if (got.status) {
        ASSERT_EQ(got.reply.answers, row.answers) << row.name << " at " << at;
      } else {
        ASSERT_EQ(got.status.error().kind, ErrorKind::network) << row.name << " at " << at << ": " << got.status.error().message;
      }
    }
  }
}

struct BadReply {
  const char* name;
  const Wire* wire;
  const char* text;
  ErrorKind kind;
  const char* words;
};

TEST(Wires, BadRepliesAreOneSentence) {
  const BadReply rows[] = {
      {"nothing", &kOpenAiChat, "", ErrorKind::network, "answered with nothing"},
      {"blanks", &kOpenAiChat, " \n\n ", ErrorKind::network, "answered with nothing"},
      {"page", &kAnthropic, "<!DOCTYPE html>", ErrorKind::unsupported, "page of HTML"},
      {"no JSON", &kOpenAiChat, "data: {]\n\n", ErrorKind::network, "no JSON"},
      {"no choice", &kOpenAiChat, "{}", ErrorKind::unsupported, "no answer in it"},
      {"only done", &kOpenAiChat, "data: [DONE]\n\n", ErrorKind::network, "before it had any text"},
      {"array for an answer", &kOpenAiResponses, "[1,2]", ErrorKind::unsupported, "no answer in it"},
      {"cut", &kOpenAiChat, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"abc\"}}]}\n\n", ErrorKind::network, "cut after 3 bytes"},
      {"sample that nobody asked for", &kOpenAiChat, "data: {\"choices\":[{\"index\":9999999,\"delta\":{\"content\":\"abc\"}}]}\n\n", ErrorKind::unsupported,
          "answer 9999999 where 1 were asked for"},
      {"too many relays", &kRelay, R"([{"output":"a"},{"output":"b"}])", ErrorKind::unsupported, "answer 1 where 1"},
      {"error event of chat", &kOpenAiChat, "data: {\"error\":{\"message\":\"too\\nbusy\",\"type\":\"server_error\"}}\n\n", ErrorKind::network, "reports an error: too busy"},
      {"error as text", &kOpenAiChat, "{\"error\":\"model 'x' not found\"}", ErrorKind::network, "model 'x' not found"},
      {"quota", &kOpenAiResponses, "data: {\"type\":\"error\",\"code\":\"insufficient_quota\",\"message\":\"pay\"}\n\n", ErrorKind::unsupported, "pay"},
      {"failed response", &kOpenAiResponses,
          "data: {\"type\":\"response.failed\",\"response\":{\"status\":\"failed\",\"error\":{\"code\":\"server_error\",\"message\":\"sorry\"}}}\n\n",
          ErrorKind::network, "sorry"},
      {"overloaded", &kAnthropic, "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}\n\n", ErrorKind::network,
          "Overloaded"},
      {"bad request in a stream", &kAnthropic, "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\",\"message\":\"bad\"}}\n\n",
          ErrorKind::invalid_input, "bad"},
      {"no error", &kOpenAiChat, R"({"error":"","choices":[]})", ErrorKind::unsupported, "no answer in it"},
      {"error of a relay", &kRelay, R"([{"error":"boom"}])", ErrorKind::network, "boom"},
  };
  for (const BadReply& row : rows) {
    const ReadOutcome got = read_reply({row.name, row.wire, 1, row.text, {}, {}, ""}, {row.text});
    ASSERT_FALSE(got.status) << row.name;
    EXPECT_EQ(got.status.error().kind, row.kind) << row.name << ": " << got.status.error().message;
    EXPECT_NE(got.status.error().message.find(row.words), std::string::npos) << got.status.error().message;
  }
}

TEST(Wires, StrangeTypesAreNothing) {
  for (const Wire* wire : all_wires()) {
    for (const char* text : {R"({"choices":[{"index":"x","message":7,"finish_reason":[]}],"output":{},"content":"x","usage":[1]})",
        R"({"choices":7,"output":7,"content":7,"usage":7,"id":7})",
                             R"([7,null,"x",[[]]])", "data: 7\n\ndata: null\n\ndata: []\n\n", "data: {\"type\":7,\"response\":7,\"message\":7,\"delta\":7}\n\n"}) {
      const ReadOutcome got = read_reply({"", wire, 1, text, {}, {}, ""}, {text});
      if (got.status) {
        EXPECT_EQ(got.reply.answers.size(), 1U);
      }
    }
  }
}

}  // namespace
}  // namespace ka::llm

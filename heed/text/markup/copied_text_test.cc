// Round trips of realistic texts through a copying translator.
#include <gtest/gtest.h>

#include "heed/base/rng.h"
#include "heed/base/text.h"
#include "heed/text/markup/html_entities.h"
#include "heed/text/markup/mark_placement.h"
#include "heed/text/markup/text_split.h"

namespace heed {
namespace {

using Texts = std::vector<std::string>;

/// Translation of a sentence by a copying model: white space is folded, and
/// each word attends to itself.
std::string Copied(const Segment& segment, bool attention) {
  std::string text;
  Texts pieces;
  for (const std::string_view word : SplitUnicodeWhitespace(segment.text)) {
    if (!text.empty()) text += ' ';
    text += word;
    pieces.push_back("▁" + std::string(word));
  }
  pieces.emplace_back("</s>");
  std::vector<float> weights(attention ? pieces.size() * pieces.size() : 0);
  for (size_t i = 0; attention && i < pieces.size(); ++i) {
    weights[i * pieces.size() + i] = 1;
  }
  return WriteSentence(segment, {text, pieces, pieces, weights});
}

std::string Copied(const std::string& text, TextFormat format, bool attention,
                   const std::string& language) {
  const auto segments = SplitMarkup(text, format, {.language = language});
  Texts written;
  for (const Segment& segment : segments) {
    if (segment.translate) written.push_back(Copied(segment, attention));
  }
  return JoinSegments(segments, written);
}

/// The words of a text, with entities decoded.
Texts WordsOfHtml(std::string_view html) {
  std::string text;
  while (!html.empty()) {
    const auto entity = EntityAt(html);
    text += entity ? entity->text : std::string(html.substr(0, 1));
    html.remove_prefix(entity ? entity->size : 1);
  }
  const auto words = SplitUnicodeWhitespace(text);
  return {words.begin(), words.end()};
}

Texts FoldedWords(std::string_view text) {
  const auto words = SplitUnicodeWhitespace(text);
  return {words.begin(), words.end()};
}

/// Generates texts from fragments of real ones.
class Writer {
 public:
  explicit Writer(uint64_t seed) : rng_(seed) {}

  size_t Draw(size_t n) { return static_cast<size_t>(rng_.Next() % n); }
  bool Happens(size_t in) { return Draw(in) == 0; }
  template <size_t N>
  std::string Any(const char* const (&all)[N]) {
    return all[Draw(N)];
  }

  std::string Word() {
    return Any({"the",      "Haus",       "größte",     "cafe\u0301", "naïve",
                "дом",      "Привет",     "σπίτι",      "بيت",        "مرحبا",
                "שלום",     "नमस्ते",       "हिन्दी",      "ภาษาไทย",    "東京",
                "你好世界", "こんにちは", "カタカナ",   "한국어",     "Straße",
                "don't",    "l'homme",    "well-known", "42",         "3.14",
                "1,000",    "A4",         "C#",         "R&D",        "½",
                "Dr.",      "e.g.",       "z. B.",      "J. S. Bach", "U.S.",
                "Nr. 5",    "10:30",      "50%",        "€5",         "x²"});
  }
  std::string Name() {
    return Any({"#Straßenbahn",
                "#東京",
                "@müller",
                "@user@host.tld",
                "$größe",
                "{Übername}",
                "user_größe",
                "{{name}}",
                "%s",
                "{0}",
                "%1$d",
                "https://x.example/a?b=c&d=e",
                "www.example.org/ä",
                "somebody@x.example",
                ":smile:",
                "<@123>",
                "<:x:1>",
                "[X0X]",
                "__NAME__",
                "${größe}",
                "@user.bsky.social",
                "#90s"});
  }
  std::string Emoji() {
    return Any({"😆", "👩‍👩‍👧", "👍🏽", "🇩🇪", "❤️",
                "1️⃣", "🏴󠁧󠁢󠁥󠁮󠁧󠁿", "👨🏿‍🚀",
                "☺", "😀😀", "🏳️‍🌈"});
  }
  std::string Space() {
    return Any({" ", "\u00A0", "\u3000", "\u2003", "\u2028", "\t", "\n", "\r\n",
                "  ", "\n\n", " \u202F", "\u2009"});
  }
  std::string End() {
    return Any({".", "!", "?", "…", "...", "。", "!!", " !"});
  }

  /// A sentence in which `mark` marks up parts of words.
  template <typename Mark>
  std::string Sentence(const Mark& mark) {
    std::string text;
    for (size_t n = 1 + Draw(9); n > 0; --n) {
      std::string part = Happens(6)   ? Name()
                         : Happens(8) ? Emoji()
                                      : mark(Word());
      if (Happens(9)) part = "(" + part + ")";
      if (Happens(9)) part += Any({",", ";", ":", "😆", "—"});
      if (!text.empty() && !(Happens(12) && text.back() != ':')) text += ' ';
      text += part;
    }
    return text + End();
  }

  /// A sentence with unambiguous boundaries in every language.
  std::string PlainSentence() {
    std::string text = Any({"The", "Das", "Он"});
    for (size_t n = 1 + Draw(6); n > 0; --n) {
      text += " " + (Happens(5)   ? Name()
                     : Happens(6) ? Emoji()
                                  : Any({"man", "größte", "дом", "東京", "नमस्ते",
                                         "don't", "naïve", "R&D", "Straße"}));
    }
    return text + Any({".", "!", "?", "。", "!!"});
  }

  template <typename Mark>
  std::string Text(const Mark& mark, bool one_line) {
    std::string text;
    if (Happens(5)) text += Any({"1. ", "- ", "12) ", "• ", "\uFEFF", " "});
    for (size_t n = 1 + Draw(4); n > 0; --n) {
      text += Sentence(mark);
      if (n > 1 || Happens(3)) text += one_line ? " " : Space();
    }
    return text;
  }

 private:
  Rng rng_;
};

const char* const kLanguages[] = {"en", "de", "fr", "ru", "", "zh"};

TEST(CopiedText, ComesBackWithItsWords) {
  Writer writer(1);
  for (int round = 0; round < 4000; ++round) {
    const std::string text =
        writer.Text([](const std::string& word) { return word; }, false);
    const std::string language = kLanguages[writer.Draw(6)];
    ASSERT_EQ(
        FoldedWords(Copied(text, TextFormat::kText, round % 2 == 0, language)),
        FoldedWords(text))
        << text << "\n"
        << language;
  }
}

TEST(CopiedText, ComesBackAsItWas) {
  Writer writer(4);
  for (int round = 0; round < 2000; ++round) {
    std::string text;
    for (size_t n = 1 + writer.Draw(4); n > 0; --n) {
      text += writer.PlainSentence() + writer.Space();
    }
    const std::string language = kLanguages[writer.Draw(6)];
    ASSERT_EQ(Copied(text, TextFormat::kText, round % 2 == 0, language), text)
        << language;
  }
}

TEST(CopiedText, ComesBackInHtmlButForEntities) {
  Writer writer(2);
  const auto mark = [&](const std::string& word) -> std::string {
    const std::string escaped = EscapeHtml(word);
    switch (writer.Draw(8)) {
      case 0:
        return "<b>" + escaped + "</b>";
      case 1:
        return "<a href=\"x?a=1&amp;b\"><i>" + escaped + "</i></a>";
      case 2:
        return "<code>" + escaped + "</code>";
      case 3:
        return writer.Any({"&eacute;t&eacute;", "&#233;", "&#x1F600;", "&copy",
                           "&lt;b&gt;", "&hellip;", "&notit;", "&nosuch;",
                           "&#150;"});
      case 4:
        return "<a class=\"mention hashtag\" rel=\"tag\">#<span>" + escaped +
               "</span></a>";
      default:
        return escaped;
    }
  };
  for (int round = 0; round < 2000; ++round) {
    std::string text;
    for (size_t n = 1 + writer.Draw(3); n > 0; --n) {
      text += writer.Any({"<p>", "<div class='x'>", "<br>", "<li>"}) +
              writer.Sentence(mark) + writer.Any({"</p>", "", "&nbsp;", "\n"});
    }
    const std::string copy =
        Copied(text, TextFormat::kHtml, round % 2 == 0, "en");
    ASSERT_EQ(WordsOfHtml(copy), WordsOfHtml(text)) << text;
  }
}

TEST(CopiedText, ComesBackInMarkdown) {
  Writer writer(3);
  const auto mark = [&](const std::string& word) -> std::string {
    switch (writer.Draw(10)) {
      case 0:
        return "**" + word + "**";
      case 1:
        return "*" + word + "*";
      case 2:
        return "[" + word + "](https://x.example \"title\")";
      case 3:
        return "`" + word + "`";
      case 4:
        return "~~" + word + "~~";
      case 5:
        return "![" + word + "](a.png)";
      default:
        return word;
    }
  };
  for (int round = 0; round < 2000; ++round) {
    std::string text;
    for (size_t n = 1 + writer.Draw(5); n > 0; --n) {
      text += writer.Any({"## ", "- ", "  - ", "> ", "1. ", "", "- [x] ",
                          "> - ", "***\n", "```\nif (a*b) {}\n```\n",
                          "| a | b |\n|---|---|\n| c | d |\n\n"}) +
              writer.Sentence(mark) + writer.Any({"\n\n", "\n\n", "  \n"});
    }
    std::string copy =
        Copied(text, TextFormat::kMarkdown, round % 2 == 0, "en");
    // Stars that are not marks may get a backslash.
    std::erase(copy, '\\');
    ASSERT_EQ(FoldedWords(copy), FoldedWords(text)) << text;
  }
}

/// Texts that were changed by their marks in earlier versions.
TEST(CopiedText, MarksKeepTheirPlaces) {
  for (const bool attention : {true, false}) {
    for (const char* text :
         {"_see __NAME___ now",
          "*`a*`* b",
          "Hello **{name}!**",
          "Thanks *@user!* Bye",
          "see **user_name.py** now",
          "Hello **_{name}!_**",
          "[.NET](y) is good",
          "The [.NET](y) is good.",
          "the *!important* rule",
          "better **:-)**.",
          "Text `code`\ntwo",
          "Text\n@user",
          "Text @user\nis here",
          "in\n[`a`](y) place",
          "a\n\\* b",
          "[^1]: The text.\n[^2]: another",
          "**\\* foo** bar",
          "**foo \\***",
          "*foo \\*bar*",
          "- \\[ ] a",
          "\\[^1] a",
          "**quiet \\\\** one",
          "> <div>\n> quiet happy\n> </div>",
          "> <div>\n> quiet *happy*\n> day </div>\n\nThe end",
          "> <img src=\"a\">\n> the man"}) {
      EXPECT_EQ(Copied(text, TextFormat::kMarkdown, attention, "en"), text);
    }
    for (const char* text :
         {"Hello <b>{name}!</b> You", "Hi <b>@müller,</b>",
          "Hi <i><b>{name}.</b></i> You", "<b>.NET</b> is good",
          "The <b>.NET</b> is good", "it is <b>.</b>", "{name}, hello",
          "<b>{name}, hello</b> you", "<i>🇩🇪.</i> is it"}) {
      EXPECT_EQ(Copied(text, TextFormat::kHtml, attention, "en"), text);
    }
  }
}

}  // namespace
}  // namespace heed

#include "heed/text/markup/placeholders.h"

#include <gtest/gtest.h>

#include <string>

namespace heed {
namespace {

std::vector<std::string> Found(std::string_view text, bool entities = true) {
  std::vector<std::string> found;
  for (const TextRange& range : FindPlaceholders(text, {entities})) {
    found.emplace_back(text.substr(range.begin, range.end - range.begin));
  }
  return found;
}

using Texts = std::vector<std::string>;

TEST(FindPlaceholders, FindsWhatProgramsWrite) {
  for (const char* placeholder : {"{{name}}",
                                  "{{ user.name | upper }}",
                                  "{{#if x}}",
                                  "{% endif %}",
                                  "{name}",
                                  "{0}",
                                  "{}",
                                  "{0:N2}",
                                  "{user.name}",
                                  "{$x}",
                                  "{ name }",
                                  "{n, plural, one {# file} other {# files}}",
                                  "${name}",
                                  "#{name}",
                                  "%{name}",
                                  "%s",
                                  "%d",
                                  "%1$s",
                                  "%.2f",
                                  "%-10s",
                                  "%ld",
                                  "%@",
                                  "%(name)s",
                                  "%<n>d",
                                  "%name%",
                                  "%USER_NAME%",
                                  "%1",
                                  "%L2",
                                  "%n",
                                  "%%",
                                  "%v",
                                  "%Y",
                                  "<%= name %>",
                                  "[[name]]",
                                  "$name",
                                  "$x$",
                                  "__NAME__",
                                  "user_name",
                                  "user_name.py",
                                  "jürgen@example.de",
                                  "info@müller.de",
                                  "mailto:info@müller.de",
                                  "@user@xn--mller-kva.de",
                                  "bit.ly/x",
                                  "t.co/abc",
                                  "VAR_1",
                                  "X0X",
                                  "%1%",
                                  ":name",
                                  "@user",
                                  "#winter",
                                  "x.example.com/a?b",
                                  "example.org",
                                  "[X0X]",
                                  "[NAME]",
                                  "[1]",
                                  "[user_name]",
                                  "<0>",
                                  "</0>",
                                  "<12/>",
                                  ":smile:",
                                  ":+1:",
                                  "\\n",
                                  "&amp;",
                                  "&#233;",
                                  "&#xE9;",
                                  "https://x.example/a_(b)?c=d&e=f#g",
                                  "www.x.example",
                                  "HTTP://X.Y",
                                  "mailto:a@b.example",
                                  "some.body+tag@sub.x.example",
                                  "#Straßenbahn",
                                  "#Café",
                                  "#cafe\u0301",
                                  "#東京",
                                  "#हिन्दी",
                                  "#90s",
                                  "＃東京",
                                  "@müller",
                                  "@Иван",
                                  "@user@host.tld",
                                  "@müller@münchen.social",
                                  "@user.bsky.social",
                                  "@first-last",
                                  "!community@host.tld",
                                  "$größe",
                                  "${größe}",
                                  "{Übername}",
                                  "{名前}",
                                  "%größe%",
                                  "user_größe",
                                  "größe_2",
                                  "user_東京",
                                  "ÄRGER_ÖL",
                                  "Ä0Ö",
                                  "[größe_1]",
                                  ":größe",
                                  "<@123>",
                                  "<@!123>",
                                  "<@U024|anna>",
                                  "<#123>",
                                  "<:name:123>",
                                  "<a:name:123>",
                                  "<t:1618953630:R>",
                                  "😆",
                                  "👩‍👩‍👧",
                                  "👍🏽",
                                  "🇩🇪",
                                  "#️⃣",
                                  "1️⃣",
                                  "©️",
                                  "🏴󠁧󠁢󠁥󠁮󠁧󠁿"}) {
    EXPECT_EQ(Found(std::string("Hello ") + placeholder + " there"),
              Texts{placeholder});
    EXPECT_EQ(Found(placeholder), Texts{placeholder});
  }
}

TEST(FindPlaceholders, LeavesMarksOfTargetLanguages) {
  EXPECT_EQ(Found(">>cmn_Hant<< a_b c"), Texts{"a_b"});
  EXPECT_EQ(Found(">>fra<<a"), Texts{});
}

TEST(FindPlaceholders, LeavesOrdinaryText) {
  for (const char* text : {"50% sure",
                           "50%sure",
                           "100%",
                           "100% discount",
                           "5%s",
                           "%sure thing",
                           "it is 5 % d",
                           "a $5 bill",
                           "US$ 5",
                           "10:30:45",
                           "note: that: this",
                           "[the] man",
                           "{a remark here}",
                           "2 < 3 and 4 > 1",
                           "a <b> c",
                           "AT&T",
                           "R&D; here",
                           "a@b",
                           "A4",
                           "covid19",
                           "see it.The end",
                           "#1",
                           "a #5 b",
                           "3:2",
                           "it :-)",
                           "and/or",
                           "C:\\new",
                           "e.g. this",
                           "http",
                           "http://",
                           "www. x",
                           "{",
                           "}",
                           "{{",
                           "%",
                           "$",
                           "[",
                           "[]",
                           "::",
                           "a::b::c",
                           "50%off%",
                           "größer als klein",
                           "C# und F#",
                           "foo#bar",
                           "© 2024 Firma™",
                           "时间:下午:三点",
                           "[注] 日本語",
                           "A #1 team",
                           "ich, du & ér"}) {
    EXPECT_EQ(Found(text), Texts{}) << text;
  }
  EXPECT_EQ(Found("Tom &amp; Jerry", false), Texts{});
}

TEST(FindPlaceholders, TakesWhatBelongsToThem) {
  EXPECT_EQ(Found("a (%s) “{0}” b"), (Texts{"(%s) “{0}”"}));
  EXPECT_EQ(Found("{h}:{m} {s}, {a} and {b}"),
            (Texts{"{h}:{m} {s}, {a}", "{b}"}));
  EXPECT_EQ(Found("I like %s. %s is good"), (Texts{"%s", "%s"}));
  EXPECT_EQ(Found("見て#東京 と@tanakaさん"), (Texts{"#東京", "@tanaka"}));
  EXPECT_EQ(Found("ask @user."), Texts{"@user"});
  EXPECT_EQ(Found("#Café, #Übung"), Texts{"#Café, #Übung"});
  EXPECT_EQ(Found("see (http://x.y/z), or http://x.y."),
            (Texts{"(http://x.y/z)", "http://x.y"}));
  EXPECT_EQ(Found("%d%% of %s"), (Texts{"%d%%", "%s"}));
  EXPECT_EQ(Found("%A%%B% is"), (Texts{"%A%%B%"}));
  EXPECT_EQ(Found("on %d/%m/%Y, %H:%M"), (Texts{"%d/%m/%Y, %H:%M"}));
  EXPECT_EQ(Found("%dpx wide, %ds old"), (Texts{"%d", "%d"}));
}

TEST(FindPlaceholders, TakesLinearTime) {
  for (const char* part :
       {"{", "{{", "%", "%(", "[", "a@", "http://", "(", ":a", "__", "$", "${",
        "&", "<1", "{a,", "[[", "<%"}) {
    std::string text;
    while (text.size() < 200000) text += part;
    EXPECT_NO_THROW(Found(text));
  }
}

}  // namespace
}  // namespace heed

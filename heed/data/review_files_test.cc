#include "heed/data/review_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "heed/base/errors.h"
#include "heed/base/testing.h"

namespace heed {
namespace {

using testing::HasSubstr;

class ReviewFiles : public testing::Test {
 protected:
  std::vector<Review> Read(const std::string& name, const std::string& content,
                           const ReviewFormat& format = {}) {
    return ReadReviews({folder_.Put(name, content)}, format);
  }
  std::string ErrorOf(const std::string& name, const std::string& content,
                      const ReviewFormat& format = {}) {
    return MessageOf<FormatError>([&] { Read(name, content, format); });
  }

  TemporaryFolder folder_;
};

TEST_F(ReviewFiles, AreTabsOrJsonLinesOrCsvWithTheSameMeaning) {
  const char* tabs = "ann\tlamp\t4\tBright, and cheap.\n\nbob\tlamp\t1.5\t\n";
  const char* header =
      "time\treview\titem\trating\tuser\n7\tBright, and cheap.\tlamp\t4\tann\n"
      "8\t\tlamp\t1.5\tbob\n";
  const char* json =
      "{\"user\": \"ann\", \"item\": \"lamp\", \"rating\": 4, \"review\": "
      "\"Bright, and cheap.\"}\n"
      "{\"rating\": 1.5, \"user\": \"bob\", \"item\": \"lamp\", \"review\": "
      "\"\"}\n";
  const char* csv =
      "user,item,rating,review\nann,lamp,4,\"Bright, and cheap.\"\n"
      "bob,lamp,1.5,\n";
  for (const auto& [name, content] :
       {std::pair("a.tsv", tabs), std::pair("b.tsv", header),
        std::pair("c.jsonl", json), std::pair("d.csv", csv)}) {
    const std::vector<Review> reviews = Read(name, content);
    ASSERT_EQ(reviews.size(), 2) << name;
    EXPECT_EQ(reviews[0].user, "ann");
    EXPECT_EQ(reviews[0].item, "lamp");
    EXPECT_EQ(reviews[0].rating, 4);
    EXPECT_EQ(reviews[0].text, "Bright, and cheap.");
    EXPECT_EQ(reviews[1].user, "bob");
    EXPECT_EQ(reviews[1].rating, 1.5);
    EXPECT_EQ(reviews[1].text, "");
  }
}

TEST_F(ReviewFiles, OtherColumnsAndTimesAreTaken) {
  ReviewFormat format;
  format.columns = {"who", "what", "stars", "said", "when", "decides"};
  const auto reviews = Read(
      "a.tsv", "a\tb\t3\tx\t12.5\tboth\na\tc\t3\ty\t\t\nd\tb\t3\tz\t1\titem\n",
      format);
  EXPECT_EQ(reviews[0].time, 12.5);
  EXPECT_TRUE(reviews[0].decides_user && reviews[0].decides_item);
  EXPECT_FALSE(reviews[1].decides_user || reviews[1].decides_item);
  EXPECT_TRUE(!reviews[2].decides_user && reviews[2].decides_item);
  EXPECT_THAT(
      ErrorOf("a.tsv", "a\tb\t3\tx\tnoon\t\n", format),
      HasSubstr("a.tsv:1: the time is neither a number nor a date: 'noon'"));
  EXPECT_THAT(ErrorOf("a.tsv", "a\tb\t3\tx\t1\tall\n", format),
              HasSubstr("user, item, both or nothing"));
}

TEST_F(ReviewFiles, DecidingWordsAreReadAndWrittenAgain) {
  ReviewFormat format;
  format.columns = {"user", "item", "rating", "review", "time", "decides"};
  const std::string line = "a\tb\t3\tx y\t1\tuser:x item:y";
  const Review review = Read("a.tsv", line + "\n", format)[0];
  EXPECT_TRUE(review.decides_user && review.decides_item);
  EXPECT_EQ(review.user_word, "x");
  EXPECT_EQ(review.item_word, "y");
  EXPECT_EQ(ReviewLine(review), line);
  EXPECT_THAT(ErrorOf("a.tsv", "a\tb\t3\tx\t1\tuser:x all:y\n", format),
              HasSubstr("a.tsv:1: what the review decides is 'all:y'"));
}

TEST_F(ReviewFiles, WhatIsNoReviewIsNamedWithItsLine) {
  EXPECT_THAT(ErrorOf("a.tsv", "a\tb\t3\tx\na\tb\t7\tx\n"),
              HasSubstr("a.tsv:2: the rating 7 is outside of the scale from 1 "
                        "to 5"));
  EXPECT_THAT(ErrorOf("a.tsv", "a\tb\tgood\tx\n"),
              HasSubstr("a.tsv:1: the rating is not a number: 'good'"));
  EXPECT_THAT(ErrorOf("a.tsv", "a\tb\tnan\tx\n"), HasSubstr("not a number"));
  EXPECT_THAT(ErrorOf("a.tsv", "\tb\t3\tx\n"),
              HasSubstr("a.tsv:1: there is no user"));
  EXPECT_THAT(ErrorOf("a.tsv", "a\t\t3\tx\n"), HasSubstr("there is no item"));
  EXPECT_THAT(ErrorOf("a.tsv", "a\tb\t3\tx\ty\tz\n"),
              HasSubstr("user, item, rating, review"));
  EXPECT_THAT(ErrorOf("a.tsv", "a\tb\t3\tx\na\tb\n"),
              HasSubstr("a.tsv:2: 2 fields; the first line has 4"));
  EXPECT_THAT(ErrorOf("a.tsv", std::string(2000, 'a') + "\tb\t3\tx\n"),
              HasSubstr("at most 1000 are read"));
  EXPECT_THAT(ErrorOf("a.tsv", "user\titem\trating\treview\n"),
              HasSubstr("no reviews"));
  EXPECT_THAT(ErrorOf("a.tsv", "\n\n"), HasSubstr("no reviews"));
  EXPECT_THAT(ErrorOf("a.jsonl",
                      "{\"user\": \"a\", \"item\": \"b\", "
                      "\"rating\": [], \"review\": \"\"}\n"),
              HasSubstr("a.jsonl"));
  EXPECT_THROW(Read("a.jsonl", "{\"user\": \"a\"}\n"), Error);
}

TEST(ReviewColumns, AreThreeToSixDifferentNames) {
  EXPECT_THROW(CheckReviewColumns({"a", "b"}), ConfigError);
  EXPECT_THROW(CheckReviewColumns({"a", "b", "c", "c"}), ConfigError);
  EXPECT_THROW(CheckReviewColumns({"a", "b", ""}), ConfigError);
  EXPECT_THROW(CheckReviewColumns({"a", "b", "c", "d", "e", "f", "g"}),
               ConfigError);
  CheckReviewColumns({"a", "b", "c"});
  CheckReviewColumns({"a", "b", "c", "", "e"});
}

/// Two ratings in the format of a published data set.
struct PublishedRatings {
  const char* name;
  const char* content;
  double time;       // of the first rating
  std::string text;  // of the first rating
};

class Published : public ReviewFiles,
                  public testing::WithParamInterface<PublishedRatings> {};

TEST_P(Published, AreReadWithoutOptions) {
  const PublishedRatings& set = GetParam();
  testing::internal::CaptureStderr();
  const std::vector<Review> reviews = Read(set.name, set.content);
  testing::internal::GetCapturedStderr();
  ASSERT_EQ(reviews.size(), 2);
  EXPECT_EQ(reviews[0].user, "A1B2C3D4E5F6");
  EXPECT_EQ(reviews[0].item, "B00001P4ZH");
  EXPECT_EQ(reviews[0].rating, 4);
  EXPECT_EQ(reviews[0].time, set.time);
  EXPECT_EQ(reviews[0].text, set.text);
  EXPECT_EQ(reviews[1].rating, 2);
  EXPECT_EQ(reviews[1].text, "");
}

INSTANTIATE_TEST_SUITE_P(
    Sets, Published,
    testing::Values(
        PublishedRatings{"movielens.csv",
                         "userId,movieId,rating,timestamp\n"
                         "A1B2C3D4E5F6,B00001P4ZH,4.0,964982703\n"
                         "2,50,2.0,964981247\n",
                         964982703, ""},
        PublishedRatings{"ratings.dat",
                         "A1B2C3D4E5F6::B00001P4ZH::4::978300760\n"
                         "2::50::2::978302109\n",
                         978300760, ""},
        PublishedRatings{"u.data",
                         "A1B2C3D4E5F6\tB00001P4ZH\t4\t881250949\n"
                         "2\t50\t2\t891717742\n",
                         881250949, ""},
        PublishedRatings{"book_crossing.csv",
                         "\"User-ID\";\"ISBN\";\"Book-Rating\"\n"
                         "\"A1B2C3D4E5F6\";\"B00001P4ZH\";\"4\"\n"
                         "\"2\";\"0155061224\";\"2\"\n",
                         0, ""},
        PublishedRatings{"amazon_ratings.csv",
                         "A1B2C3D4E5F6,B00001P4ZH,4.0,1202256000\n"
                         "A2XYZA2XYZA2,B000000002,2.0,1202256000\n",
                         1202256000, ""},
        PublishedRatings{"amazon_2018.csv",
                         "B00001P4ZH,A1B2C3D4E5F6,4.0,1202256000\n"
                         "B000000002,A2XYZA2XYZA2,2.0,1202256000\n",
                         1202256000, ""},
        PublishedRatings{"amazon_5.json",
                         "{\"reviewerID\": \"A1B2C3D4E5F6\", \"asin\": "
                         "\"B00001P4ZH\", \"helpful\": [0, 0], \"reviewText\": "
                         "\"Good.\", \"overall\": 4.0, \"unixReviewTime\": "
                         "1252800000}\n"
                         "{\"reviewerID\": \"A2\", \"asin\": \"B2\", "
                         "\"overall\": 2.0}\n",
                         1252800000, "Good."},
        PublishedRatings{
            "yelp.json",
            "{\"user_id\": \"A1B2C3D4E5F6\", \"business_id\": "
            "\"B00001P4ZH\", \"stars\": 4.0, \"useful\": 0, \"text\": "
            "\"Good.\", \"date\": \"2018-07-07 22:09:11\"}\n"
            "{\"user_id\": \"A2\", \"business_id\": \"B2\", "
            "\"stars\": 2, \"text\": null, \"date\": \"2018-07-08\"}\n",
            1531001351, "Good."},
        PublishedRatings{"recbole.inter",
                         "user_id:token\titem_id:token\trating:float\n"
                         "A1B2C3D4E5F6\tB00001P4ZH\t4\n2\t50\t2\n",
                         0, ""},
        PublishedRatings{"epinions.txt", "A1B2C3D4E5F6 B00001P4ZH 4\n2 50 2\n",
                         0, ""},
        PublishedRatings{"goodbooks.csv",
                         "user_id,book_id,rating\n"
                         "A1B2C3D4E5F6,B00001P4ZH,4\n2,50,2\n",
                         0, ""},
        PublishedRatings{"with_text.csv",
                         "user_id,asin,rating,text,timestamp\n"
                         "A1B2C3D4E5F6,B00001P4ZH,4,\"Good.\",1202256000\n"
                         "2,50,2,,1202256000\n",
                         1202256000, "Good."}));

TEST_F(ReviewFiles, OfBlocksHaveTheirItemAboveThem) {
  const auto reviews = Read("combined_data_1.txt",
                            "1:\n1488844,3,2005-09-06\n822109,5,2005-05-13"
                            "\n2:\n885013,4,2005-10-19\n");
  ASSERT_EQ(reviews.size(), 3);
  EXPECT_EQ(reviews[1].user, "822109");
  EXPECT_EQ(reviews[1].item, "1");
  EXPECT_EQ(reviews[2].item, "2");
  EXPECT_GT(reviews[0].time, reviews[1].time);
}

TEST_F(ReviewFiles, AColumnThatIsNoTextIsRefusedAsSuch) {
  ReviewFormat format;
  format.columns = {"userId", "movieId", "rating", "timestamp"};
  EXPECT_THAT(
      ErrorOf("a.csv", "userId,movieId,rating,timestamp\n1,2,3,964982703\n",
              format),
      HasSubstr("a.csv: 'timestamp' cannot be the text of reviews: it holds "
                "only numbers, identifiers, times or addresses, such as "
                "'964982703'; "
                "leave it out (--columns userId,movieId,rating), or read it as "
                "the time (--columns userId,movieId,rating,,timestamp)"));
  format.columns = {"user", "item", "rating", "url"};
  EXPECT_THAT(ErrorOf("a.jsonl",
                      "{\"user\": \"a\", \"item\": \"b\", \"rating\": 3, "
                      "\"url\": \"https://x.org/1\"}\n",
                      format),
              HasSubstr("'url' cannot be the text"));
  EXPECT_THAT(ErrorOf("a.tsv", "a\tb\t3\t17\nc\td\t4\t2\n"),
              HasSubstr("'column 4' cannot be the text"));
  format.columns = {"user", "item", "rating", "verified"};
  EXPECT_THAT(
      ErrorOf("b.csv", "user,item,rating,verified\na,b,3,True\n", format),
      HasSubstr("cannot be the text"));
  // Some review texts are numbers.
  EXPECT_EQ(Read("b.tsv", "a\tb\t3\t10\nc\td\t4\ttop\n").size(), 2);
}

TEST_F(ReviewFiles, IdentifiersAreNoTexts) {
  EXPECT_THAT(ErrorOf("a.csv",
                      "user,item,rating,review\na,b,3,RX983154919\n"
                      "c,d,4,RX979287289\n"),
              HasSubstr("'review' cannot be the text of reviews"));
  EXPECT_EQ(Read("b.csv",
                 "user,item,rating,review\na,b,3,RX983154919\n"
                 "c,d,4,excellent\n")
                .size(),
            2);
}

TEST_F(ReviewFiles, AProductBeforeItsReviewerIsRecognisedByTheirNumbers) {
  const auto reviews =
      Read("a.csv", "B00008,A1,3.0,983154919\nB00010,A2,1.0,979287289\n");
  EXPECT_EQ(reviews[1].user, "A2");
  EXPECT_EQ(reviews[1].item, "B00010");
  EXPECT_EQ(Read("b.csv", "A1,B00008,3.0,983154919\n")[0].user, "A1");
}

TEST_F(ReviewFiles, OtherDelimitersAndDecimalCommasAreReported) {
  const auto printed = [this](const char* name, const char* content) {
    testing::internal::CaptureStderr();
    Read(name, content);
    return testing::internal::GetCapturedStderr();
  };
  EXPECT_THAT(printed("a.csv", "user;item;rating;review\na;b;3,5;fine\n"),
              HasSubstr("a.csv: reads a semicolon table with decimal commas"));
  EXPECT_THAT(printed("b.tsv", "a\tb\t3,5\tfine\n"),
              HasSubstr("b.tsv: reads ratings with decimal commas"));
  EXPECT_EQ(printed("c.csv", "user,item,rating,review\na,b,3.5,fine\n"), "");
}

TEST_F(ReviewFiles, MayNameATimeWithoutATextAndNoTextAtAll) {
  ReviewFormat format;
  format.columns = {"u", "i", "r", "", "t"};
  const auto timed = Read("a.csv", "u,i,r,t\na,b,3,7\n", format);
  EXPECT_EQ(timed.front().time, 7);
  EXPECT_EQ(timed.front().text, "");
  format.columns = {"u", "i", "r"};
  EXPECT_EQ(Read("b.csv", "i,r,u,x\nb,3,a,y\n", format).front().user, "a");
  EXPECT_EQ(Read("c.tsv", "a\tb\t3\n", format).front().item, "b");
}

TEST_F(ReviewFiles, ALineOfJsonMayHaveNoText) {
  ReviewFormat format;
  format.columns = {"reviewerID", "asin", "overall", "reviewText"};
  const std::string begin =
      "{\"reviewerID\": \"a\", \"asin\": \"b\", \"overall\": 3.0";
  const auto reviews = Read("a.jsonl",
                            begin + ", \"reviewText\": \"x\"}\n" + begin +
                                "}\n" + begin + ", \"reviewText\": null}\n" +
                                begin + ", \"reviewText\": \"\"}\n",
                            format);
  ASSERT_EQ(reviews.size(), 4);
  for (size_t i = 1; i < 4; ++i) EXPECT_EQ(reviews[i].text, "");
  // A rating is required.
  EXPECT_THAT(ErrorOf("b.jsonl",
                      "{\"reviewerID\": \"a\", \"asin\": "
                      "\"b\", \"overall\": null}\n",
                      format),
              HasSubstr("b.jsonl:1: member 'overall'"));
}

TEST_F(ReviewFiles, AHeaderWithOtherNamesIsShown) {
  EXPECT_THAT(MessageOf<ConfigError>(
                  [&] { Read("a.csv", "who,what,grade_of,said\na,b,3,x\n"); }),
              HasSubstr("the header names who, what, grade_of, said (choose "
                        "with --columns)"));
  EXPECT_THAT(MessageOf<ConfigError>([&] {
                Read("b.csv",
                     "movieId,title,genres\n1,Up,Animation\n2,It,Horror\n");
              }),
              HasSubstr("the header names movieId, title, genres (choose with "
                        "--columns)"));
}

TEST_F(ReviewFiles, ClearlyOtherScalesAreTaken) {
  const auto scale = [](std::initializer_list<double> ratings) {
    std::vector<Review> reviews;
    for (const double rating : ratings) {
      reviews.emplace_back().rating = rating;
    }
    return ScaleOf(reviews, {});
  };
  EXPECT_EQ(scale({1, 5, 3.5}), (RatingScale{1, 5}));
  EXPECT_EQ(scale({0.5, 5, 4}), (RatingScale{0.5, 5}));
  EXPECT_EQ(scale({1, 10, 7, 8, 9, 6, 5, 4, 10, 8}), (RatingScale{1, 10}));
  EXPECT_EQ(scale({0, 10, 7, 8, 9, 6, 5, 4, 10, 8}), (RatingScale{0, 10}));
  // A single outlier does not change the scale.
  EXPECT_EQ(scale({1, 2, 3, 4, 5, 5, 4, 3, 2, 1, 1, 6}), (RatingScale{1, 5}));
  EXPECT_EQ(scale({0, 5}), (RatingScale{1, 5}));
}

TEST_F(ReviewFiles, DatesMayBeWrittenInWords) {
  const auto time = [this](const std::string& date) {
    return Read("a.csv", "user,item,rating,date\na,b,3,\"" + date + "\"\n")
        .front()
        .time;
  };
  EXPECT_EQ(time("2017-07-30 14:44:10"), 1501425850);
  EXPECT_EQ(time("Sun Jul 30 07:44:10 -0700 2017"), 1501425850);
  EXPECT_EQ(time("July 30, 2017"), 1501372800);
  EXPECT_EQ(time("30/07/2017"), 1501372800);
}

TEST_F(ReviewFiles, MarksOfNoRatingAreLeftOut) {
  const auto ratings = [this](const std::string& rows,
                              const RatingScale& scale = {}) {
    ReviewFormat format;
    format.scale = scale;
    std::vector<double> read;
    for (const Review& review :
         Read("a.csv", "user,item,rating\n" + rows, format)) {
      read.push_back(review.rating);
    }
    return read;
  };
  using Ratings = std::vector<double>;
  EXPECT_EQ(ratings("a,b,0\na,c,1\na,d,5\n"), (Ratings{1, 5}));
  EXPECT_EQ(ratings("a,b,-1\na,c,10\na,d,1\n", {1, 10}), (Ratings{10, 1}));
  // On a given scale, 0 is a rating.
  EXPECT_EQ(ratings("a,b,0\na,c,1\na,d,5\n", {0, 5}), (Ratings{0, 1, 5}));
  // Likes (0 and 1) do not imply a scale.
  EXPECT_THROW(ratings("a,b,0\na,c,1\na,d,1\n"), FormatError);
}

TEST_F(ReviewFiles, RatingsMayHaveDecimalCommas) {
  const auto reviews = Read("a.csv", "user;item;rating\na;b;4,5\na;c;3\n");
  EXPECT_EQ(reviews[0].rating, 4.5);
  EXPECT_EQ(reviews[1].rating, 3);
  EXPECT_EQ(Read("b.csv", "a;b;4,5\na;c;3\n")[0].rating, 4.5);
}

}  // namespace
}  // namespace heed

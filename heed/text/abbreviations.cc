#include "heed/text/abbreviations.h"

#include <unicode/udata.h>
#include <unicode/unistr.h>
#include <unicode/ures.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <utility>

#include "heed/base/text.h"

namespace heed {
namespace {

/// Tables of one language. Lists are separated by spaces; a lower-case entry
/// also matches a capitalised word.
struct LanguageRow {
  std::string_view codes;
  std::string_view go_on;
  std::string_view may_go_on = {};
  std::string_view before_number;
  std::string_view first_words;
  bool ordinals = false;
  std::string_view before_ordinal = {};  // in lower case; empty: any word
  std::string_view months = {};          // written with a capital letter
  std::string_view ends = {};            // looks like initials
  /// Ordinary words that look like abbreviations: ICU's suppressions of the
  /// language, and "Max", which is not "max".
  std::string_view ordinary = {};
  /// True if titles in `go_on` are also written in lower case: "il sig. Rossi".
  bool lower_titles = false;
};

constexpr LanguageRow kLanguages[] = {
    {.codes = "en",
     .go_on = "Mr Mrs Ms Mx Messrs Dr Drs Prof St Rev Hon Gov Sen Rep Pres Gen "
              "Col Lt Capt Maj Sgt Cpl Pvt Cmdr Adm Brig Supt Insp Det Amb Fr "
              "Msgr e.g i.e vs cf viz approx esp incl",
     .may_go_on =
         "Jr Sr Inc Ltd Co Corp Bros Esq dept al Ave Blvd Rd Mt Ft "
         "Ph.D Jan Feb Apr Aug Sept Oct Nov Dec Mon Tue Tues Thu Thurs "
         "Fri govt univ assn tel eds",
     .before_number = "no nos p pp art sec fig figs ch chap vol vols nr eq tab "
                      "ver par para ex pg",
     .first_words =
         "The A An He She It They We You I This That These Those There Then "
         "But "
         "And Or So In On At If When While After Before However Its His Her "
         "Their Our My Your What Who Why How Where Which Yes No Not Now Here "
         "For From To With As By Because Although Since Also Some Many Most "
         "All "
         "Both Each Every Another Nobody Everyone Is Are Was Were Do Does Did "
         "Can Could Will Would Should Let Please Thanks",
     .ends = "a.m p.m A.M P.M",
     .ordinary = "Up Job Is On In To Go Do By Or As All Hat Link Long Act Joe "
                 "Ok OK Pro Card Mart Jam Lib PC DC AD AB AA Id Ex Var Org Min "
                 "Diff Etc a.m A.M P.M Mb Kb Gb Hz"},
    {.codes = "de",
     .go_on = "Dr Prof Hr Hrn Frl St Dipl Ing Mag hl bzw vgl z.B d.h sog ca "
              "evtl ggf ggfs gem inkl exkl zzgl einschl insb geb i.d.R "
              "m.E u.U v.a "
              "z.T o.g",
     .may_go_on =
         "Str Mio Mrd Tsd Co Jh Jhd Chr Zt a.D e.V i.R u.a Std Sek Jan "
         "Feb Aug Sept Okt Nov Dez Fr u.ä med phil jur nat pol theol habil em "
         "max min bes",
     .before_number =
         "Nr Abb Abs Art Bd Kap Tab Bsp Anm Aufl Ziff Abschn Rn Rz "
         "Bl Tel Fig",
     .first_words =
         "Der Die Das Den Dem Des Ein Eine Einen Einem Einer Er Sie Es Wir Ihr "
         "Ich Du Man Dann Da Dort Hier Und Aber Oder Doch Denn Wenn Als Weil "
         "Ob "
         "Wie Was Wer Wo Warum Wann In Im Am An Auf Aus Bei Mit Nach Von Vom "
         "Vor Zu Zum Zur Für Über Unter Durch Seit Dieser Diese Dieses Jeder "
         "Jede Jedes Alle Nun Jetzt Heute Gestern Später Danach Auch Nur Noch "
         "Schon So Kein Keine Mein Meine Sein Seine Ihre Unser Unsere Ja Nein "
         "Nicht Deshalb Daher Trotzdem Außerdem Jedoch Ist Sind War Hat",
     .ordinals = true,
     .before_ordinal =
         "am der die das dem den des im vom zum zur beim bis ab seit und oder "
         "ein eine einen einem einer jeder jede jedes jeden jedem ihr ihre "
         "ihren ihrem ihrer sein seine seinen seinem seiner mein meine meinen "
         "meinem meiner dein deine deinen deinem deiner unser unsere unseren "
         "unserem unserer",
     .months =
         "Januar Jänner Februar März April Mai Juni Juli August September "
         "Oktober November Dezember",
     .ordinary = "Port Alt So Test Mod Max Do am Sa Mi Mo Best PIN Temp Int "
                 "gest gesch Folg Prot Mind Min led Ben Di Ing. Op App Med "
                 "Phil Pol Bes"},
    {.codes = "fr",
     .go_on = "MM Mme Mmes Mlle Mlles Dr Drs Pr Me Mgr St Ste p.ex c.-à-d cf "
              "env",
     .may_go_on =
         "apr Cie Inc Ltd tél boul av janv févr juill sept oct nov déc",
     .before_number = "no nos n° art chap fig vol pp p réf",
     .first_words =
         "Le La Les L' Un Une Des Il Elle Ils Elles On Nous Vous Je J' Tu Ce "
         "Cet Cette Ces Cela Ça C' Et Mais Ou Donc Car Puis Ensuite Alors Dans "
         "En Sur Sous Avec Pour Par De Du Au Aux À Quand Si Comme Son Sa Ses "
         "Mon Ma Mes Notre Leur Qui Que Qu' Quel Quelle Où Pourquoi Comment "
         "Oui "
         "Non Ici Là Après Avant Depuis Pendant",
     .ordinary = "jeu mar mer ill ann av bull doc dim ven sam lun graph config "
                 "Art cam oct me",
     .lower_titles = true},
    {.codes = "es",
     .go_on = "Sr Sra Srta Sres Sras Dr Dra Drs Dña Ud Uds Vd Vds Prof Profa "
              "Lic Ing Arq Gral Excmo Excma p.ej Sto Sta",
     .may_go_on = "FF.AA RR.HH CC.OO JJ.OO SS.MM Cía Ltda Av Avda aprox tel",
     .before_number = "núm núms pág págs art arts vol cap fig n.º",
     .first_words =
         "El La Los Las Un Una Él Ella Ellos Ellas Nosotros Yo Tú Usted Se Lo "
         "Le Y Pero O Entonces Luego Después En De Del A Al Con Por Para Sin "
         "Sobre Si Cuando Como Que Qué Quién Dónde Su Sus Mi Mis Este Esta "
         "Estos Estas Ese Esa Eso Esto No Sí Hay Es Son Fue Era También Además "
         "Hoy Ayer Aquí Allí",
     .ends = "EE.UU",
     .ordinary = "Kit Rol Sol Bien Em Da dom mar vie mié col RAM CA ms Col Seg "
                 "may cap ed ago oct jue lun",
     .lower_titles = true},
    {.codes = "it",
     .go_on = "Sig Sigg Sig.ra Sig.na Dott Dott.ssa Prof Prof.ssa Ing Avv Arch "
              "Geom Rag On Mons p.es es cfr tel",
     .before_number = "n nn pag pagg art artt fig vol cap tab",
     .first_words =
         "Il Lo La L' I Gli Le Un Uno Una Lui Lei Egli Ella Esso Loro Noi Voi "
         "Io Tu E Ed Ma O Poi Allora Quindi In Nel Nella A Al Alla Di Del "
         "Della "
         "Da Dal Con Per Su Tra Fra Se Quando Come Che Chi Dove Perché Suo Sua "
         "Mio Mia Questo Questa Questi Queste Quello Quella Non Sì C' È Sono "
         "Era Anche Oggi Ieri Qui",
     .ordinary = "int on tab ver all pag arch rag DC",
     .lower_titles = true},
    {.codes = "pt",
     .go_on =
         "Sr Sra Srs Srta Dr Dra Drs Prof Profa Eng Exmo Exma Sto Sta p.ex",
     .may_go_on = "Av Ltda Cia aprox tel",
     .before_number = "nº pág págs art arts vol cap fig",
     .first_words =
         "O A Os As Um Uma Ele Ela Eles Elas Nós Eu Tu Você E Mas Ou Então "
         "Depois Em No Na Nos Nas De Do Da Com Por Para Sem Sobre Se Quando "
         "Como Que Quem Onde Seu Sua Meu Minha Este Esta Isto Isso Esse Essa "
         "Não Sim Há É São Foi Era Também Hoje Ontem Aqui",
     .ordinary =
         "mar out fr univ port ed doc col com lit lat res rod mov cap "
         "des ap fem cat pol rel pal fac tec adm ind set lin esp ff fac "
         "prod gram",
     .lower_titles = true},
    {.codes = "nl",
     .go_on =
         "dhr mevr mw dr drs ir ing prof mr bijv b.v d.w.z m.a.w o.a i.p.v "
         "t.o.v m.b.t resp ca St evt incl excl",
     .may_go_on = "Chr a.u.b",
     .before_number = "nr blz pag art fig hfst",
     .first_words =
         "De Het Een Hij Zij Ze Wij We Jij Je Ik U Dit Dat Deze Die Er Daar "
         "Hier En Maar Of Dus Want Toen Dan Als Wanneer In Op Aan Bij Met Van "
         "Voor Naar Om Over Uit Na Tijdens Ook Niet Nu Zijn Haar Mijn Ons Onze "
         "Hun Wat Wie Waar Waarom Hoe Is"},
    {.codes = "pl",
     .go_on =
         "dr prof inż mgr hab ks gen płk kpt św np tzn tzw m.in ul al im tj",
     .may_go_on = "tys mln mld godz",
     .before_number = "nr str art poz rozdz ust pkt",
     .first_words =
         "On Ona Ono Oni One My Wy Ja Ty To Ten Ta Te W We Na Do Z Ze Od Po "
         "Przed Przy Dla Za O I A Ale Lub Więc Potem Gdy Kiedy Jeśli Jak Co "
         "Kto "
         "Gdzie Dlaczego Czy Nie Tak Jest Są Był Była Jego Jej Ich Mój Moja "
         "Nasz",
     .ordinals = true},
    {.codes = "cs sk",
     .go_on = "pí dr prof Ing ul nám tř Mgr MUDr JUDr PhDr RNDr Bc doc gen sv "
              "např napr "
              "tzv tj tzn mj popř resp",
     .may_go_on = "tis mil mld hod",
     .before_number = "č str čl obr kap",
     .first_words =
         "On Ona Ono Oni My Vy Já Ja Ty To Ten Ta Tento Tato V Ve Na Do Z Ze "
         "Od "
         "Po Před Pred Při Pri Pro Pre Za O A Ale Nebo Alebo Tak Pak Potom "
         "Když "
         "Keď Jestli Ak Jak Ako Co Čo Kdo Kto Kde Proč Prečo Ne Nie Ano Áno Je "
         "Jsou Sú Byl Bol Byla Bola Jeho Její Jej Jejich Ich Můj Môj Náš",
     .ordinals = true},
    {.codes = "ru uk be",
     .go_on = "обл проф акад доц им ул пл просп наб пер т.е т.н т.к см ср напр "
              "св вул ім див",
     .may_go_on = "г гг в вв руб коп тыс млн млрд грн тис гр ред пр",
     .before_number = "стр рис табл гл ст кв корп",
     .first_words =
         "Он Она Оно Они Мы Вы Я Ты Это Этот Эта Эти Тот Та Те В Во На К Ко С "
         "Со У О Об От До По Из За Для При Под Над И А Но Или Если Когда Как "
         "Что Кто Где Почему Потом Тогда Затем Не Да Нет Его Её Их Мой Моя Наш "
         "Там Здесь Тут Сегодня Вчера Все Всё Він Вона Воно Вони Ми Ви Це Цей "
         "Ця Ці Та Але Або Якщо Коли Як Що Хто Де Чому Ні Так Його Її Їх",
     .ordinary = "кв"},
    {.codes = "sv",
     .go_on = "dr prof hr dvs t.ex t.o.m bl.a d.v.s s.k f.d resp ca kl jfr St",
     .may_go_on = "milj",
     .before_number = "nr kap sid fig art",
     .first_words =
         "Det Den De Han Hon Vi Ni Jag Du Man En Ett Detta Denna Dessa Där Här "
         "Då Sedan Men Och Eller Så I På Av Till Från Med För Om När Hur Vad "
         "Vem Var Varför Inte Ja Nej Hans Hennes Min Är"},
    {.codes = "da nb no nn",
     .go_on = "dr prof hr f.eks bl.a dvs ca kl jf jfr St evt chr sct skt",
     .may_go_on = "mio mill mrd",
     .before_number = "nr kap fig art",
     .first_words =
         "Det Den De Han Hun Vi I Jeg Du Man En Et Ei Dette Denne Disse Der "
         "Her "
         "Så Da Men Og Eller På Af Av Til Fra Med For Om Når Hvordan Hvad Hva "
         "Hvem Hvor Hvorfor Ikke Ja Nej Nei Hans Hendes Hennes Min Er",
     .ordinals = true},
    {.codes = "fi et",
     .go_on = "tri prof esim ts ks mm ns dr lk",
     .may_go_on = "milj mrd",
     .before_number = "nro nr s kpl",
     .first_words =
         "Hän Se He Ne Me Te Minä Sinä Tämä Nämä Tuo Ja Mutta Tai Niin Sitten "
         "Kun Jos Kuin Mitä Kuka Missä Miksi Ei Kyllä On Oli Hänen Sen Siellä "
         "Täällä Ta Nad Ma Sa See Need Aga Või Siis Kui Mis Kes Kus Miks",
     .ordinals = true},
    {.codes = "hu",
     .go_on = "dr prof kft ifj id özv pl ill kb ún",
     .may_go_on = "u",
     .before_number = "sz",
     .first_words =
         "A Az Egy Ő Ők Mi Ti Én Te Ez Ezek Azok És De Vagy Így Majd "
         "Akkor Ha Amikor Hogy Mit Ki Hol Miért Nem Igen Van Volt",
     .ordinals = true},
    {.codes = "tr",
     .go_on = "Dr Prof Doç Av Sn Yrd örn bkz St Gen",
     .may_go_on = "Ltd Şti",
     .before_number = "no",
     .first_words = "Bu Şu O Bir Biz Siz Onlar Ben Sen Ve Ama Veya Sonra Daha "
                    "Eğer Çünkü Ne Kim Nerede Neden Nasıl Hayır Evet",
     .ordinals = true},
    {.codes = "ro",
     .go_on = "dl dna dr prof ing sf str bd ex dvs",
     .may_go_on = "mil mld",
     .before_number = "nr pag art fig cap",
     .first_words =
         "El Ea Ei Ele Noi Voi Eu Tu Un O Acest Această Și Dar Sau "
         "Apoi În La De Cu Pe Pentru Dacă Când Cum Ce Cine Unde Nu Da "
         "Este Sunt Era"},
    {.codes = "el",
     .go_on = "κα αγ λ.χ κος κ.κ δρ π.χ δηλ βλ",
     .may_go_on = "χιλ εκ",
     .before_number = "αρ σελ",
     .first_words = "Ο Η Το Οι Τα Ένας Μια Ένα Αυτός Αυτή Αυτό Εγώ Εσύ Εμείς "
                    "Και Αλλά Ή Όταν Αν Πώς Τι Ποιος Πού Γιατί Δεν Ναι Όχι "
                    "Είναι"},
};

/// Languages with suppressions in ICU. For other languages ICU would use the
/// default locale.
constexpr std::array<std::string_view, 7> kSuppressed = {"en", "de", "fr", "es",
                                                         "it", "pt", "ru"};

void AddWords(std::string_view words, std::unordered_set<std::string>& all) {
  for (const std::string_view word : SplitWhitespace(words)) all.emplace(word);
}

/// Calls `add` with each word of ICU's list for a language (CLDR), which break
/// iterators with "@ss=standard" suppress. ICU compares the ends of words
/// ("Islam." with "am."). Here the list is read and whole words are compared.
template <typename Add>
void EachSuppression(const std::string& language, const Add& add) {
  using Bundle = std::unique_ptr<UResourceBundle, decltype(&ures_close)>;
  UErrorCode error = U_ZERO_ERROR;
  const Bundle rules(
      ures_open(U_ICUDATA_NAME "-brkitr", language.c_str(), &error),
      ures_close);
  const Bundle exceptions(
      ures_getByKey(rules.get(), "exceptions", nullptr, &error), ures_close);
  const Bundle list(
      ures_getByKey(exceptions.get(), "SentenceBreak", nullptr, &error),
      ures_close);
  if (U_FAILURE(error)) return;  // an ICU built without suppressions
  for (int32_t i = 0; i < ures_getSize(list.get()); ++i) {
    int32_t size = 0;
    const UChar* text = ures_getStringByIndex(list.get(), i, &size, &error);
    if (U_FAILURE(error)) return;
    std::string utf8;
    icu::UnicodeString(text, size).toUTF8String(utf8);
    std::string_view word = utf8;
    if (const size_t space = word.rfind(' '); space != word.npos) {
      word.remove_prefix(space + 1);
    }
    if (word.ends_with('.')) word.remove_suffix(1);
    if (!word.empty()) add(word);
  }
}

/// Copy of a word with a lower-case first letter.
std::string Uncapitalised(std::string_view word) {
  const auto characters = Utf8Characters(word);
  if (characters.empty()) return {};
  std::string lower = Lowercase(characters.front());
  lower += word.substr(characters.front().size());
  return lower;
}

bool Has(const std::unordered_set<std::string>& words, std::string_view word) {
  return words.contains(std::string(word)) ||
         words.contains(Uncapitalised(word));
}

}  // namespace

struct AbbreviationTables {
  static void Add(const LanguageRow& row, Abbreviations& to) {
    AddWords(row.go_on, to.go_on_);
    AddWords(row.may_go_on, to.may_go_on_);
    AddWords(row.before_number, to.before_number_);
    AddWords(row.first_words, to.first_words_);
  }

  static void AddLowerTitles(const LanguageRow& row, Abbreviations& to) {
    for (const std::string_view word : SplitWhitespace(row.go_on)) {
      std::string lower = Uncapitalised(word);
      if (!to.ordinary_.contains(lower)) to.go_on_.insert(std::move(lower));
    }
  }

  static std::map<std::string, Abbreviations, std::less<>> All() {
    std::map<std::string, Abbreviations, std::less<>> all;
    Abbreviations& unknown = all[""];
    for (const LanguageRow& row : kLanguages) {
      if (!row.ordinary.empty()) {  // the most used languages
        AddWords(row.go_on, unknown.go_on_);
        AddWords(row.first_words, unknown.first_words_);
        AddWords(row.before_number, unknown.before_number_);
      }
      for (const std::string_view code : SplitWhitespace(row.codes)) {
        Abbreviations& own = all[std::string(code)];
        Add(row, own);
        own.has_ordinals_ = row.ordinals;
        AddWords(row.before_ordinal, own.before_ordinal_);
        AddWords(row.months, own.months_);
        AddWords(row.ends, own.ends_);
        AddWords(row.ordinary, own.ordinary_);
        if (row.lower_titles) AddLowerTitles(row, own);
        if (std::ranges::find(kSuppressed, code) == kSuppressed.end()) continue;
        EachSuppression(std::string(code), [&](std::string_view word) {
          if (!own.ordinary_.contains(std::string(word))) {
            own.may_go_on_.emplace(word);
          }
        });
      }
    }
    AddWords(kLanguages[0].may_go_on, unknown.may_go_on_);
    return all;
  }
};

const Abbreviations& Abbreviations::Of(std::string_view language) {
  static const auto all = AbbreviationTables::All();
  const auto found =
      all.find(Lowercase(language.substr(0, language.find_first_of("-_"))));
  return found == all.end() ? all.at("") : found->second;
}

bool Abbreviations::GoesOn(std::string_view word) const {
  if (Has(go_on_, word)) return true;
  // Title in a line of capitals: "DR. SMITH".
  if (word.size() < 2 || Lowercase(word) == word) return false;
  const auto characters = Utf8Characters(word);
  const std::string title = std::string(characters.front()) +
                            Lowercase(word.substr(characters.front().size()));
  return go_on_.contains(title);
}

bool Abbreviations::MayGoOn(std::string_view word) const {
  const std::string own(word);
  return may_go_on_.contains(own) ||
         (!ordinary_.contains(own) && may_go_on_.contains(Uncapitalised(word)));
}

bool Abbreviations::Ends(std::string_view word) const {
  return ends_.contains(std::string(word));
}

bool Abbreviations::NeedsNumber(std::string_view word) const {
  return Has(before_number_, word);
}

bool Abbreviations::BeginsSentence(std::string_view word) const {
  return first_words_.contains(std::string(word));
}

bool Abbreviations::IsOrdinal(std::string_view before,
                              std::string_view after) const {
  if (!has_ordinals_) return false;
  if (IsMonth(after)) return true;
  return !BeginsSentence(after) &&
         (before_ordinal_.empty() ||
          before_ordinal_.contains(Lowercase(before)));
}

bool Abbreviations::IsMonth(std::string_view word) const {
  return months_.contains(std::string(word));
}

}  // namespace heed

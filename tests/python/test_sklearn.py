"""heed.sklearn.Classifier: scikit-learn's own checks that apply to texts, and its tools."""

import pickle
import warnings

import pytest

pytest.importorskip("sklearn", reason="needs scikit-learn")
numpy = pytest.importorskip("numpy", reason="needs numpy")

from sklearn.base import clone, is_classifier  # noqa: E402
from sklearn.exceptions import NotFittedError  # noqa: E402
from sklearn.model_selection import GridSearchCV, cross_val_score  # noqa: E402
from sklearn.pipeline import make_pipeline  # noqa: E402
from sklearn.preprocessing import FunctionTransformer  # noqa: E402
from sklearn.utils import estimator_checks  # noqa: E402

import heed  # noqa: E402
from heed.sklearn import Classifier  # noqa: E402

# Checks of scikit-learn's check_estimator. The others make tables of numbers, which a
# classifier of texts does not take, or look for parameters in the signature of __init__, which has **options
# (check_parameters_default_constructible, check_no_attributes_set_in_init).
CHECKS = ("check_get_params_invariance", "check_set_params", "check_estimators_unfitted",
          "check_estimator_get_tags_default_keys")
OPTIONS = {"vocabulary": "words", "units": 8, "epochs": 8, "learning_rate": 0.01}
TEXTS = ["a good film", "a bad film", "so good", "so bad"] * 20
LABELS = ["pos", "neg"] * 40


@pytest.fixture(scope="module")
def fitted():
    return Classifier(**OPTIONS).fit(TEXTS, LABELS)


@pytest.mark.parametrize("name", CHECKS)
def test_checks_of_scikit_learn(name):
    check = getattr(estimator_checks, name, None)
    if check is None:
        pytest.skip(f"this scikit-learn has no {name}")
    check("Classifier", Classifier(epochs=1))


def test_check_estimator():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # which checks it leaves out
        try:
            estimator_checks.check_estimator(Classifier())
        except (TypeError, AssertionError) as error:  # newer ones do not look at tags first
            pytest.skip(f"check_estimator needs tables of numbers: {error}")


def test_answers(fitted):
    assert fitted.classes_.tolist() == ["neg", "pos"]
    assert fitted.predict(["a good film", "so bad"]).tolist() == ["pos", "neg"]
    probabilities = fitted.predict_proba(TEXTS[:5])
    assert probabilities.shape == (5, 2)
    assert numpy.allclose(probabilities.sum(axis=1), 1)
    assert fitted.score(TEXTS, LABELS) == 1.0
    assert fitted.predict([]).shape == (0,) and fitted.predict_proba([]).shape == (0, 2)
    assert is_classifier(fitted)
    assert fitted.model_("a good film") == "pos"


def test_forms_of_input(fitted):
    expected = fitted.predict(TEXTS).tolist()
    assert fitted.predict(numpy.array(TEXTS)).tolist() == expected
    assert fitted.predict(numpy.array(TEXTS, dtype=object)).tolist() == expected
    assert fitted.predict(tuple(TEXTS)).tolist() == expected


@pytest.mark.parametrize("labels", [[1, 0], [2.5, -1.0], [True, False], ["", "b"],
                                    ["a\tb", "c\nd"]])
def test_labels_of_any_kind(labels):
    fitted = Classifier(**OPTIONS).fit(TEXTS, labels * 40)
    assert fitted.predict(TEXTS[:2]).tolist() == labels
    assert fitted.classes_.tolist() == sorted(labels)


def test_parameters():
    classifier = Classifier(score="additive", epochs=3)
    assert classifier.get_params() == {"score": "additive", "epochs": 3}
    assert classifier.set_params(epochs=4) is classifier
    copy = clone(classifier)
    assert copy is not classifier and copy.get_params() == {"score": "additive", "epochs": 4}
    assert "epochs=4" in repr(copy)
    assert not hasattr(copy, "model_")


def test_fit_does_not_change_parameters():
    classifier = Classifier(**OPTIONS)
    first = classifier.fit(TEXTS, LABELS).predict_proba(TEXTS[:4]).tolist()
    assert classifier.get_params() == OPTIONS
    assert classifier.fit(TEXTS, LABELS).predict_proba(TEXTS[:4]).tolist() == first


def test_pickle(fitted):
    copy = pickle.loads(pickle.dumps(fitted))
    assert copy.predict_proba(TEXTS).tolist() == fitted.predict_proba(TEXTS).tolist()
    unfitted = pickle.loads(pickle.dumps(Classifier(epochs=2)))
    assert unfitted.get_params() == {"epochs": 2}


def test_search_and_pipeline():
    choices = {"score": ["additive", "general"]}
    search = GridSearchCV(Classifier(**OPTIONS), choices, cv=2)
    assert search.fit(TEXTS, LABELS).best_score_ == 1.0
    assert set(search.best_params_) == {"score"}
    lower = FunctionTransformer(lambda texts: [text.lower() for text in texts])
    pipeline = make_pipeline(lower, Classifier(**OPTIONS))
    assert pipeline.fit(TEXTS, LABELS).predict(["A GOOD FILM"]).tolist() == ["pos"]
    assert cross_val_score(pipeline, TEXTS, LABELS, cv=2).tolist() == [1.0, 1.0]


def test_bad_input(fitted):
    with pytest.raises(NotFittedError):
        Classifier().predict(["a"])
    for wrong in ("a text", [1.0, 2.0], [["a"]], [b"a"], [None]):
        with pytest.raises(ValueError):
            fitted.predict(wrong)
    with pytest.raises(ValueError, match="labels"):
        Classifier().fit(["a", "b"], ["x"])
    with pytest.raises(heed.ConfigError, match="epoch"):
        Classifier(epochz=1).fit(TEXTS, LABELS)

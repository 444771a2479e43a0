// All generators. The file formats are documented at the functions that make
// the examples.
#ifndef HEED_COURSE_DATA_GENERATORS_H_
#define HEED_COURSE_DATA_GENERATORS_H_

#include <memory>
#include <vector>

#include "course/data/facts.h"
#include "course/data/generator.h"
#include "course/data/planted_documents.h"

namespace heed {

Generator DateData();
Generator CompressionData(
    const std::shared_ptr<bool>& names = std::make_shared<bool>(false));
Generator StoryData();
Generator FactData(
    std::shared_ptr<FactOptions> how = std::make_shared<FactOptions>());
Generator DocumentData(
    std::shared_ptr<PlantedOptions> how = std::make_shared<PlantedOptions>());
Generator QuestionData();
Generator ReviewData();
Generator PatientData();
Generator GraphData();
Generator DigitData();
Generator SceneData();
Generator SpriteData(int side = 48);
Generator VoiceData();

/// Returns all generators with default options.
std::vector<Generator> AllGenerators();

}  // namespace heed

#endif  // HEED_COURSE_DATA_GENERATORS_H_

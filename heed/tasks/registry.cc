#include "heed/base/registry.h"

#include "heed/tasks/algorithm/algorithm.h"
#include "heed/tasks/autocomplete/autocomplete.h"
#include "heed/tasks/caption/caption.h"
#include "heed/tasks/classify/classify.h"
#include "heed/tasks/forecast/forecast.h"
#include "heed/tasks/images/images.h"
#include "heed/tasks/lm/language.h"
#include "heed/tasks/nodes/nodes.h"
#include "heed/tasks/order/order.h"
#include "heed/tasks/pretrain/pretrain.h"
#include "heed/tasks/ratings/ratings.h"
#include "heed/tasks/read/read.h"
#include "heed/tasks/recommend/recommend.h"
#include "heed/tasks/retrieve/retrieve.h"
#include "heed/tasks/slots/slots.h"
#include "heed/tasks/speech/speech.h"
#include "heed/tasks/tag/tag.h"
#include "heed/tasks/task.h"
#include "heed/tasks/translate/translation.h"
#include "heed/tasks/visits/visits.h"

namespace heed {
namespace {

std::vector<TaskRow>& Rows() {
  static std::vector<TaskRow> rows = {
      translate::Task(),     //
      classify::Task(),      //
      tag::Task(),           //
      slots::Task(),         //
      lm::Task(),            //
      autocomplete::Task(),  //
      forecast::Task(),      //
      retrieve::Task(),      //
      nodes::Task(),         //
      visits::Task(),        //
      ratings::Task(),       //
      recommend::Task(),     //
      read::Task(),          //
      images::Task(),        //
      caption::Task(),       //
      order::Task(),         //
      speech::Task(),        //
      algorithm::Task(),     //
      pretrain::Task(),      //
  };
  return rows;
}

}  // namespace

const std::vector<TaskRow>& Tasks() { return Rows(); }

void AddTask(TaskRow row) { AddRow(Rows(), std::move(row), "task"); }

}  // namespace heed

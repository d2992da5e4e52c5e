// The panels of the frame: kernels, code, source, problems.
#pragma once

#include <QObject>

class ViewsTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void lists_kernels();
  void filters_and_sorts_kernels();
  void follows_and_chooses_kernels();
  void shows_code_and_moves_the_cursor();
  void copies();
  void folds_code();
  void shows_pressure_and_goes_to_its_maximum();
  void marks_occurrences();
  void goes_to_definitions();
  void tells_tips();
  void tells_of_the_instruction();
  void finds_text();
  void reports_bad_patterns();
  void links_source_both_ways();
  void says_that_source_is_missing();
  void lists_problems();
  void paints_strange_text_data();
  void paints_strange_text();
  void follows_a_reload();
};

// Documents, selection, and what they rest on.
#pragma once

#include <QObject>

class DocumentTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void loads();
  void says_what_is_wrong_data();
  void says_what_is_wrong();
  void shows_what_could_be_read();
  void works_out_results();
  void has_no_result_for_a_declaration();
  void reloads_when_the_file_changes();
  void reloads_when_the_file_is_replaced();
  void keeps_the_old_text_when_reloading_fails();
  void says_that_the_file_is_gone();
  void cancels();
  void drops_work_of_an_old_text();
  void opens_an_image_of_a_container();
  void finds_places();
  void finds_symbols();
  void finds_occurrences_and_declarations();
  void folds_lines();
  void lays_out_lines();
  void outlines();
  void maps_source_lines();
  void colours_words();
  void searches();
  void tells_values();
  void selects_and_goes_back();
  void selection_survives_a_reload();
  void selection_ignores_what_is_not_there();
};

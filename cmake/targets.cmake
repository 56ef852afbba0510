# The three kinds of target of this project. Each folder of src/ is one ka_library; its tests stand beside its sources.

add_library(ka_flags INTERFACE)
target_compile_options(ka_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # g++ 12 reports overlapping copies inside std::string::insert that do not exist (GCC bug 105651).
  target_compile_options(ka_flags INTERFACE -Wno-restrict)
endif()
target_include_directories(ka_flags INTERFACE ${PROJECT_SOURCE_DIR}/src)
target_compile_definitions(ka_flags INTERFACE KA_VERSION="${PROJECT_VERSION}")
# Debug builds check the graph after every pass (src/ir/legality.h).
target_compile_definitions(ka_flags INTERFACE $<$<CONFIG:Debug>:KA_CHECK_PASSES>)
if(KA_SANITIZE)
  target_compile_options(ka_flags INTERFACE -fsanitize=${KA_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(ka_flags INTERFACE -fsanitize=${KA_SANITIZE})
endif()
if(KA_PORTABLE)
  target_link_libraries(ka_flags INTERFACE fmt::fmt-header-only)
  target_link_options(ka_flags INTERFACE -static-libstdc++ -static-libgcc)
else()
  target_link_libraries(ka_flags INTERFACE fmt::fmt)
endif()
target_link_libraries(ka_flags INTERFACE nlohmann_json::nlohmann_json Threads::Threads)

# Several sources are compiled as one where most of the time goes into the headers that they share. What a source keeps to itself then needs a name
# of its own among them, or stands in a namespace of its own. APART, where a folder's sources are meant to have the same names.

# A library's lists say with `|` where the next lot begins: a source that is added moves no other one.
function(ka_compile_in_lots target)
  set(lot 1)
  set(sources "")
  foreach(word IN LISTS ARGN)
    if(word STREQUAL "|")
      math(EXPR lot "${lot} + 1")
    else()
      set_source_files_properties(${word} PROPERTIES UNITY_GROUP "${lot}")
      list(APPEND sources ${word})
    endif()
  endforeach()
  target_sources(${target} PRIVATE ${sources})
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()

# ka_library(base [GLUE] [APART] SOURCES a.cc b.cc | c.cc DEPS os): static library ka_base. GLUE: it waits for others, or reads and writes JSON, most
# of the time; -O1 builds it a third faster.
function(ka_library name)
  cmake_parse_arguments(ARG "GLUE;APART" "" "SOURCES;DEPS" ${ARGN})
  if(ARG_APART)
    add_library(ka_${name} STATIC ${ARG_SOURCES})
  else()
    add_library(ka_${name} STATIC)
    ka_compile_in_lots(ka_${name} ${ARG_SOURCES})
  endif()
  target_link_libraries(ka_${name} PUBLIC ka_flags)
  if(ARG_GLUE)
    target_compile_options(ka_${name} PRIVATE $<$<CONFIG:Release>:-O1>)
  endif()
  foreach(dep IN LISTS ARG_DEPS)
    target_link_libraries(ka_${name} PUBLIC ka_${dep})
  endforeach()
endfunction()

# Among the SOURCES of a test that starts sandboxes.
set(KA_LAUNCHER_MAIN ${PROJECT_SOURCE_DIR}/src/os/launcher_test_main.cc)

# ka_test(base_test SOURCES a_test.cc DEPS base [LABEL unit]): one gtest program, compiled as one; one ctest test per TEST().
function(ka_test name)
  cmake_parse_arguments(ARG "" "LABEL" "SOURCES;DEPS" ${ARGN})
  find_package(GTest QUIET)
  if(NOT GTest_FOUND)
    return()
  endif()
  if(NOT ARG_LABEL)
    set(ARG_LABEL unit)
  endif()
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ka_flags GTest::gmock GTest::gtest_main)
  foreach(dep IN LISTS ARG_DEPS)
    target_link_libraries(${name} PRIVATE ka_${dep})
  endforeach()
  target_compile_definitions(${name} PRIVATE KA_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  set_target_properties(${name} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 0)
  target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O0>)  # a third of a clean build went into optimising tests
  set_property(GLOBAL APPEND PROPERTY KA_TESTS ${name})
  add_test(NAME ${ARG_LABEL}/${name} COMMAND ${name})
  set_tests_properties(${ARG_LABEL}/${name} PROPERTIES LABELS ${ARG_LABEL} TIMEOUT 600)
endfunction()

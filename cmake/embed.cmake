# ka_embed(TARGET LIBRARY LOADER file SCRIPTS file...): generates an assembler file that includes the bytes of each script and
# of the shared library, and a list of the scripts for C++. Bytes are named ka_embedded_<name>; a changed file rebuilds the object.

function(ka_embed target library)
  cmake_parse_arguments(ARG "" "LOADER" "SCRIPTS" ${ARGN})
  set(asm "${CMAKE_CURRENT_BINARY_DIR}/embedded.S")
  set(table "${CMAKE_CURRENT_BINARY_DIR}/embedded_table.inc")
  set(asm_text ".section .rodata\n")
  set(table_text "")
  set(inputs ${ARG_LOADER} ${ARG_SCRIPTS})
  foreach(path IN LISTS inputs)
    get_filename_component(name ${path} NAME_WE)
    string(APPEND asm_text ".global ka_embedded_${name}\nka_embedded_${name}:\n.incbin \"${path}\"\n"
                           ".global ka_embedded_${name}_end\nka_embedded_${name}_end:\n.byte 0\n")
    string(APPEND table_text "KA_EMBEDDED(${name})\n")
  endforeach()
  string(APPEND asm_text ".balign 16\n.global ka_embedded_sandbox_so\nka_embedded_sandbox_so:\n"
                         ".incbin \"$<TARGET_FILE:${library}>\"\n"
                         ".global ka_embedded_sandbox_so_end\nka_embedded_sandbox_so_end:\n.byte 0\n"
                         ".section .note.GNU-stack,\"\",@progbits\n")
  file(GENERATE OUTPUT ${asm} CONTENT "${asm_text}")
  file(GENERATE OUTPUT ${table} CONTENT "${table_text}")
  set_source_files_properties(${asm} PROPERTIES GENERATED TRUE
    OBJECT_DEPENDS "${ARG_LOADER};${ARG_SCRIPTS};${PROJECT_BINARY_DIR}/src/os/libka_sandbox.so")
  target_sources(${target} PRIVATE ${asm})
  target_include_directories(${target} PRIVATE ${CMAKE_CURRENT_BINARY_DIR})
  add_dependencies(${target} ${library})
endfunction()

# ka_embed_file(TARGET file): the same for one file of data, as ka_embedded_<name>.
function(ka_embed_file target path)
  get_filename_component(name ${path} NAME_WE)
  set(asm "${CMAKE_CURRENT_BINARY_DIR}/embedded_${name}.S")
  file(GENERATE OUTPUT ${asm} CONTENT ".section .rodata\n.global ka_embedded_${name}\nka_embedded_${name}:\n.incbin \"${path}\"\n\
.global ka_embedded_${name}_end\nka_embedded_${name}_end:\n.byte 0\n.section .note.GNU-stack,\"\",@progbits\n")
  set_source_files_properties(${asm} PROPERTIES GENERATED TRUE OBJECT_DEPENDS ${path})
  target_sources(${target} PRIVATE ${asm})
endfunction()

# ka_embed_texts(TARGET prefix folder file...): several text files of one folder, as ka_<prefix>_<n>, and <prefix>_table.inc with a row KA_TEXT(ka_<prefix>_<n>, "file") for each.
function(ka_embed_texts target prefix folder)
  set(asm "${CMAKE_CURRENT_BINARY_DIR}/${prefix}.S")
  set(asm_text ".section .rodata\n")
  set(table_text "")
  set(inputs "")
  set(n 0)
  foreach(file IN LISTS ARGN)
    set(symbol ka_${prefix}_${n})
    string(APPEND asm_text ".global ${symbol}\n${symbol}:\n.incbin \"${folder}/${file}\"\n.global ${symbol}_end\n${symbol}_end:\n.byte 0\n")
    string(APPEND table_text "KA_TEXT(${symbol}, \"${file}\")\n")
    list(APPEND inputs "${folder}/${file}")
    math(EXPR n "${n} + 1")
  endforeach()
  string(APPEND asm_text ".section .note.GNU-stack,\"\",@progbits\n")
  file(GENERATE OUTPUT ${asm} CONTENT "${asm_text}")
  file(GENERATE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/${prefix}_table.inc CONTENT "${table_text}")
  set_source_files_properties(${asm} PROPERTIES GENERATED TRUE OBJECT_DEPENDS "${inputs}")
  target_sources(${target} PRIVATE ${asm})
  target_include_directories(${target} PRIVATE ${CMAKE_CURRENT_BINARY_DIR})
endfunction()
